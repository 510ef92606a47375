import { runDoctor } from '@parley/doctor'
import { readConfig } from './config.ts'

await runDoctor({ deployable: 'realtime', readConfig })
