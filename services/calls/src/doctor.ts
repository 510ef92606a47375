import { runDoctor } from '@parley/doctor'
import { readConfig } from './config.ts'
import { mediaServerCheck } from './engines/livekit/index.ts'

await runDoctor({
  deployable: 'calls',
  readConfig,
  migrations: new URL('../drizzle', import.meta.url),
  checks: [mediaServerCheck],
})
