// An admin process, so that tests can kill it.
import { readConfig } from '../../src/config.ts'
import { startAdmin } from '../../src/service.ts'

await startAdmin(readConfig())
process.send?.('ready')
process.on('disconnect', () => process.exit())
