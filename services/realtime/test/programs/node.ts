import { run } from '@parley/runtime'
import { readConfig } from '../../src/config.ts'
import { startRealtime } from '../../src/service.ts'

await run('realtime', (stop) => startRealtime(readConfig(), { stop }))
