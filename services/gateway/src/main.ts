import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startGateway } from './service.ts'

await run('gateway', (stop) => startGateway(readConfig(), { stop }))
