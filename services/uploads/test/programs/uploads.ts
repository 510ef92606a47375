import { run } from '@parley/runtime'
import { readConfig } from '../../src/config.ts'
import { startUploads } from '../../src/service.ts'

await run('uploads', (stop) => startUploads(readConfig(), { stop }))
