// Except in the last test, polls are too rare to find entries.
import { expect, jest, test } from '@jest/globals'
import { openDatabase, type Database } from '@parley/postgres'
import { connectBus, type Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import { startRelay } from '../src/index.ts'
import { commit, firstOccurrences, readStream, oneTo, countWaiting } from './_events.ts'
import { newBus, newDatabase, withStream, type TestServer } from './_servers.ts'

const pollMs = 3_600_000

let server: TestServer
let bus: Bus
withStream((stream) => ({ server, bus } = stream))

const openAgain = ({ url }: { url: string }): Promise<Database> => openDatabase({ url, pool: 4, name: 'again' })

const untilShared = (database: Database) =>
  eventually(async () => {
    const { rows } = await database.pool.query<{ shards: bigint }>(
      "select count(*) as shards from outbox_leases where name like 'shard-%' and expires_at > now() group by holder",
    )
    expect(rows.map(({ shards }) => Number(shards))).toEqual([4, 4])
  })

/** Whether all shards have been taken and their leases have expired. */
const hasLapsed = async ({ pool }: Database): Promise<boolean> => {
  const { rows } = await pool.query("select from outbox_leases where expires_at > now() or holder = ''")
  const { rowCount } = await pool.query('select from outbox_leases')
  return rows.length === 0 && rowCount === 9
}

const untilLapsed = (database: Database) => eventually(() => hasLapsed(database))

const untilAllRelayed = (database: Database) => eventually(async () => expect(await countWaiting(database)).toBe(0))

test('entries are sent at once after their commit', async () => {
  await using database = await newDatabase()
  await using _relay = await startRelay({ ...database, bus, service: 'notified', pollMs })
  for (const version of oneTo(5)) {
    await commit(database, 'told1', [version])
    await untilAllRelayed(database)
  }
  expect(firstOccurrences(await readStream(bus)).get('told1')).toEqual(oneTo(5))
})

test('entries committed without a relay are sent when one starts', async () => {
  await using database = await newDatabase()
  await commit(database, 'before1', [1])
  await using _relay = await startRelay({ ...database, bus, service: 'before', pollMs })
  await untilAllRelayed(database)
})

test('a process that commits an entry notifies the process that holds its shard', async () => {
  await using database = await newDatabase()
  await using other = await openAgain(database)
  await using otherBus = await newBus(server)
  await using _one = await startRelay({ ...database, bus, service: 'two', pollMs })
  await using _two = await startRelay({ ...other, bus: otherBus, service: 'two', pollMs })
  await untilShared(database)
  for (const room of oneTo(20).map((n) => `two${n}`)) {
    await commit(database, room, [1])
    await commit(other, room, [2])
    await untilAllRelayed(database)
  }
})

test('waiting for an entry that nobody announced makes the process that holds its shard send it', async () => {
  await using database = await newDatabase()
  await using other = await openAgain(database)
  await using unannounced = await openAgain(database)
  await using otherBus = await newBus(server)
  await using one = await startRelay({ ...database, bus, service: 'lost', pollMs })
  await using two = await startRelay({ ...other, bus: otherBus, service: 'lost', pollMs })
  await untilShared(database)
  for (const room of oneTo(10).map((n) => `lost${n}`)) {
    // The committing process has no relay, so it announces nothing.
    await one.waitUntilStored(await commit(unannounced, room, [1]))
    await two.waitUntilStored(await commit(unannounced, room, [2]))
  }
})

test('a process that takes over shards finds their waiting entries', async () => {
  await using database = await newDatabase()
  await using unannounced = await openAgain(database)
  await using other = await openAgain(database)
  await using _one = await startRelay({ ...database, bus, service: 'left', pollMs })
  {
    await using _two = await startRelay({ ...other, bus, service: 'left', pollMs })
    await untilShared(database)
    for (const n of oneTo(20)) await commit(unannounced, `left${n}`, [1])
  }
  await untilAllRelayed(database)
})

test('entries committed just before an outage of the database are sent after it', async () => {
  await using database = await newDatabase()
  await using outage = await outageProxy(database.url)
  await using through = await openDatabase({ url: outage.url, pool: 4, name: 'through' })
  await using _relay = await startRelay({ ...through, bus, service: 'outage', pollMs })
  for (const version of oneTo(3)) {
    await eventually(() => commit(through, 'outage1', [version]))
    await outage.stop()
    await outage.start()
  }
  await untilAllRelayed(database)
})

test('entries committed during an outage of the bus are sent after it', async () => {
  await using database = await newDatabase()
  await using outage = await outageProxy(server.url)
  await using cut = await connectBus({ url: outage.url, name: 'test', purpose: 'events' })
  await using _relay = await startRelay({ ...database, bus: cut, service: 'cut', pollMs })
  await commit(database, 'cut1', [1])
  await untilAllRelayed(database)
  await outage.stop()
  await eventually(() => !cut.connected())
  await commit(database, 'cut1', [2])
  await outage.start()
  await untilAllRelayed(database)
})

test('an idle relay whose leases have expired continues when an entry is announced', async () => {
  await using database = await newDatabase()
  await using other = await openAgain(database)
  const options = { bus, service: 'rest', pollMs, restAfterMs: 1 }
  await using _relay = await startRelay({ ...database, ...options })
  for (const version of oneTo(2)) {
    await untilLapsed(database)
    await commit(database, 'rest1', [version])
    await untilAllRelayed(database)
  }
  await untilLapsed(database)
  {
    await using _newcomer = await startRelay({ ...other, ...options })
    await untilShared(database)
    await commit(database, 'rest1', [3])
    await untilAllRelayed(database)
  }
  await commit(database, 'rest1', [4])
  await untilAllRelayed(database)
  expect(firstOccurrences(await readStream(bus)).get('rest1')).toEqual(oneTo(4))
})

test('an idle relay polls without leases, and renews them only when it finds an entry', async () => {
  await using database = await newDatabase()
  await using other = await openAgain(database)
  const queries = jest.spyOn(database.pool, 'query')
  const polls = () => queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('pg_current_snapshot'))
  await using _relay = await startRelay({ ...database, bus, service: 'polls', pollMs: 5, restAfterMs: 1 })
  await eventually(async () => {
    if (!(await hasLapsed(other))) queries.mockClear()
    return polls().length > 20
  })
  await commit(other, 'polls1', [1])
  await untilAllRelayed(other)
})
