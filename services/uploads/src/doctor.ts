import { runDoctor } from '@parley/doctor'
import { readConfig } from './config.ts'
import { storageCheck } from './engines/storage/index.ts'

await runDoctor({
  deployable: 'uploads',
  readConfig,
  migrations: new URL('../drizzle', import.meta.url),
  checks: [storageCheck],
})
