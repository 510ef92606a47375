/** A messaging process that tests can kill. With the argument `mute` it does not publish its outbox. */
import { run } from '@parley/runtime'
import { readConfig } from '../../src/config.ts'
import { startMessaging } from '../../src/service.ts'

const mute = { wake: () => undefined, stored: () => Promise.resolve() }

await run('messaging', (stop) =>
  startMessaging(readConfig(), { stop, ...(process.argv.includes('mute') && { relay: mute }) }),
)
