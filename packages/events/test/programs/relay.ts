import { openDatabase } from '@parley/postgres'
import { connectBus } from '@parley/rpc'
import { startRelay } from '../../src/index.ts'

const [databaseUrl = '', natsUrl = '', service = ''] = process.argv.slice(2)
const database = await openDatabase({ url: databaseUrl, pool: 4, name: 'relay' })
const bus = await connectBus({ url: natsUrl, name: 'relay', purpose: 'events' })
// The test does not announce its entries, so the relay has to poll.
await startRelay({ ...database, bus, service, pollMs: 200 })
process.send?.('ready')
process.on('disconnect', () => process.exit())
