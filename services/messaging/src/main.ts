import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startMessaging } from './service.ts'

await run('messaging', (stop) => startMessaging(readConfig(), { stop }))
