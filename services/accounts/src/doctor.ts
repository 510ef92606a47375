import { runDoctor } from '@parley/doctor'
import { providersCheck } from './clients/providers/check-providers.ts'
import { readConfig } from './config.ts'
import { mailCheck } from './engines/mail/index.ts'

await runDoctor({
  deployable: 'accounts',
  readConfig,
  migrations: new URL('../drizzle', import.meta.url),
  checks: [mailCheck, providersCheck],
})
