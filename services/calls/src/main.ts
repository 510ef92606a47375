import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startCalls } from './service.ts'

await run('calls', (stop) => startCalls(readConfig(), { stop }))
