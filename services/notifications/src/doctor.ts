import { runDoctor } from '@parley/doctor'
import { pushCheck } from './engines/push/index.ts'
import { readConfig } from './config.ts'

await runDoctor({
  deployable: 'notifications',
  readConfig,
  migrations: new URL('../drizzle', import.meta.url),
  checks: [pushCheck],
})
