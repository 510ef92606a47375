// A process whose hand-over never ends, so that a test can kill it meanwhile.
import { openDatabase } from '@parley/postgres'
import { handOver, startHandOver } from '../../src/index.ts'

const [databaseUrl = ''] = process.argv.slice(2)
const { db } = await openDatabase({ url: databaseUrl, pool: 4, name: 'handover' })
startHandOver({ db, service: 'calls', apply: () => new Promise(() => undefined) })
await db.transaction((tx) => handOver(tx, 'R1', [{ eventId: 'E1', version: 1n }]))
process.send?.('ready')
process.on('disconnect', () => process.exit())
