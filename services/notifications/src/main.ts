import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startNotifications } from './service.ts'

await run('notifications', (stop) => startNotifications(readConfig(), { stop }))
