import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startWorkerProcess } from './service.ts'

await run('video-worker', (stop) => startWorkerProcess(readConfig(), { stop }))
