import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { startRooms } from './service.ts'

await run('rooms', (stop) => startRooms(readConfig(), { stop }))
