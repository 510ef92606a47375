import { effectiveSettings } from '@parley/config'
import { readConfig } from './config.ts'

process.stdout.write(`${JSON.stringify(effectiveSettings(readConfig))}\n`)
