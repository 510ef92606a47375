import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startUploads } from './service.ts'

await run('uploads', (stop) => startUploads(readConfig(), { stop }))
