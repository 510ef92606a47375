import { readConfig } from '../../src/config.ts'
import { startNotifications } from '../../src/service.ts'

await startNotifications(readConfig())
process.send?.('ready')
process.on('disconnect', () => process.exit())
