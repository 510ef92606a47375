import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startRealtime } from './service.ts'

await run('realtime', (stop) => startRealtime(readConfig(), { stop }))
