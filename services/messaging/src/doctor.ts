import { runDoctor } from '@parley/doctor'
import { readConfig } from './config.ts'

await runDoctor({ deployable: 'messaging', readConfig, migrations: new URL('../drizzle', import.meta.url) })
