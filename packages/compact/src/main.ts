import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { startCompact } from './compact.ts'

await run('compact', (stop) => startCompact(process.env, stop))
