import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startAccounts } from './service.ts'

await run('accounts', (stop) => startAccounts(readConfig(), { stop }))
