import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startAdmin } from './service.ts'

await run('admin', (stop) => startAdmin(readConfig(), { stop }))
