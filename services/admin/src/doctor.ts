import { runDoctor, streamCheck } from '@parley/doctor'
import { readConfig } from './config.ts'

const { streamMaxBytes, streamReplicas } = readConfig.fields

await runDoctor({
  deployable: 'admin',
  readConfig,
  migrations: new URL('../drizzle', import.meta.url),
  checks: [streamCheck('admin', { streamMaxBytes, streamReplicas })],
})
