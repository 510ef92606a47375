// Polling is off here unless a test says otherwise, so every entry that arrives was announced.
import { expect, jest, test } from '@jest/globals'
import { openDatabase, type Database } from '@parley/postgres'
import { connectBus, type Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import { startRelay } from '../src/index.ts'
import { commit, firstOccurrences, onStream, upTo, waiting } from './_events.ts'
import { newBus, newDatabase, withStream, type TestServer } from './_servers.ts'

const pollMs = 3_600_000

let server: TestServer
let bus: Bus
withStream((stream) => ({ server, bus } = stream))

/** The same database, used by another process. */
const again = ({ url }: { url: string }): Promise<Database> => openDatabase({ url, pool: 4, name: 'again' })

const shared = (database: Database) =>
  eventually(async () => {
    const { rows } = await database.pool.query<{ shards: bigint }>(
      "select count(*) as shards from outbox_leases where name like 'shard-%' and expires_at > now() group by holder",
    )
    expect(rows.map(({ shards }) => Number(shards))).toEqual([4, 4])
  })

/** Whether all shards were taken, and their leases have expired. */
const hasLapsed = async ({ pool }: Database): Promise<boolean> => {
  const { rows } = await pool.query("select from outbox_leases where expires_at > now() or holder = ''")
  const { rowCount } = await pool.query('select from outbox_leases')
  return rows.length === 0 && rowCount === 9
}

const lapsed = (database: Database) => eventually(() => hasLapsed(database))

const arrived = (database: Database) => eventually(async () => expect(await waiting(database)).toBe(0))

test('committed entries are sent at once, even if the wake-up failed after the commit', async () => {
  await using database = await newDatabase()
  await using _relay = await startRelay({ ...database, bus, service: 'notified', pollMs })
  for (const version of upTo(5)) {
    await commit(database, 'told1', [version])
    await arrived(database)
  }
  expect(firstOccurrences(await onStream(bus)).get('told1')).toEqual(upTo(5))
})

test('entries committed without a relay are sent when one starts', async () => {
  await using database = await newDatabase()
  await commit(database, 'before1', [1])
  await using _relay = await startRelay({ ...database, bus, service: 'before', pollMs })
  await arrived(database)
})

test('the process that holds the shard is notified', async () => {
  await using database = await newDatabase()
  await using other = await again(database)
  await using otherBus = await newBus(server)
  await using _one = await startRelay({ ...database, bus, service: 'two', pollMs })
  await using _two = await startRelay({ ...other, bus: otherBus, service: 'two', pollMs })
  await shared(database)
  for (const room of upTo(20).map((n) => `two${n}`)) {
    await commit(database, room, [1])
    await commit(other, room, [2])
    await arrived(database)
  }
})

test('a waiting caller requests its entry, even if the relay was not notified', async () => {
  await using database = await newDatabase()
  await using other = await again(database)
  await using silent = await again(database)
  await using otherBus = await newBus(server)
  await using one = await startRelay({ ...database, bus, service: 'lost', pollMs })
  await using two = await startRelay({ ...other, bus: otherBus, service: 'lost', pollMs })
  await shared(database)
  for (const room of upTo(10).map((n) => `lost${n}`)) {
    // There is no relay in the committing process, which notifies nobody.
    await one.stored(await commit(silent, room, [1]))
    await two.stored(await commit(silent, room, [2]))
  }
})

test('shards that another process releases or leaves behind are checked for entries', async () => {
  await using database = await newDatabase()
  await using silent = await again(database)
  await using other = await again(database)
  await using _one = await startRelay({ ...database, bus, service: 'left', pollMs })
  {
    await using _two = await startRelay({ ...other, bus, service: 'left', pollMs })
    await shared(database)
    for (const n of upTo(20)) await commit(silent, `left${n}`, [1])
  }
  await arrived(database)
})

test('an unanswered query is repeated', async () => {
  await using database = await newDatabase()
  await using outage = await outageProxy(database.url)
  await using through = await openDatabase({ url: outage.url, pool: 4, name: 'through' })
  await using _relay = await startRelay({ ...through, bus, service: 'outage', pollMs })
  for (const version of upTo(3)) {
    await eventually(() => commit(through, 'outage1', [version]))
    await outage.stop()
    await outage.start()
  }
  await arrived(database)
})

test('entries committed without a bus are sent when it is back', async () => {
  await using database = await newDatabase()
  await using outage = await outageProxy(server.url)
  await using cut = await connectBus({ url: outage.url, name: 'test', purpose: 'events' })
  await using _relay = await startRelay({ ...database, bus: cut, service: 'cut', pollMs })
  await commit(database, 'cut1', [1])
  await arrived(database)
  await outage.stop()
  await eventually(() => !cut.connected())
  await commit(database, 'cut1', [2])
  await outage.start()
  await arrived(database)
})

test('an idle relay whose leases expired continues when notified', async () => {
  await using database = await newDatabase()
  await using other = await again(database)
  const options = { bus, service: 'rest', pollMs, restAfterMs: 1 }
  await using _relay = await startRelay({ ...database, ...options })
  for (const version of upTo(2)) {
    await lapsed(database)
    await commit(database, 'rest1', [version])
    await arrived(database)
  }
  await lapsed(database)
  {
    await using _newcomer = await startRelay({ ...other, ...options })
    await shared(database)
    await commit(database, 'rest1', [3])
    await arrived(database)
  }
  await commit(database, 'rest1', [4])
  await arrived(database)
  expect(firstOccurrences(await onStream(bus)).get('rest1')).toEqual(upTo(4))
})

test('an idle relay that polls renews its leases only when an entry waits', async () => {
  await using database = await newDatabase()
  await using other = await again(database)
  const queries = jest.spyOn(database.pool, 'query')
  const polls = () => queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('pg_current_snapshot'))
  await using _relay = await startRelay({ ...database, bus, service: 'polls', pollMs: 5, restAfterMs: 1 })
  await eventually(async () => {
    if (!(await hasLapsed(other))) queries.mockClear()
    return polls().length > 20
  })
  await commit(other, 'polls1', [1])
  await arrived(other)
})
