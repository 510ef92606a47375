// An admin process for tests to kill.
import { readConfig } from '../../src/config.ts'
import { startAdmin } from '../../src/service.ts'

await startAdmin(readConfig())
process.send?.('ready')
process.on('disconnect', () => process.exit())
