/** A process for tests to kill. With the argument `mute` it does not publish its outbox. */
import { run } from '@parley/runtime'
import { readConfig } from '../../src/config.ts'
import { startMessaging } from '../../src/service.ts'

const mute = { wake: () => undefined, waitUntilStored: () => Promise.resolve() }

await run('messaging', (stop) =>
  startMessaging(readConfig(), { stop, ...(process.argv.includes('mute') && { relay: mute }) }),
)
