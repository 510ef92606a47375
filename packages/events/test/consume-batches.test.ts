import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { openDatabase, type Tx } from '@parley/postgres'
import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import {
  consumeEventBatches,
  declareStreams,
  eventStream,
  startRelay,
  type BatchConsumerOptions,
} from '../src/index.ts'
import { commit, store, upTo } from './_events.ts'
import { eventually } from './_eventually.ts'
import { outageBefore } from './_outage.ts'
import { newBus, newDatabase, newServer, type TestServer } from './_servers.ts'

let server: TestServer
let bus: Bus

beforeAll(async () => {
  server = await newServer()
  bus = await newBus(server)
  await declareStreams(bus)
})

afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const consumer = (room: string, options: Pick<BatchConsumerOptions, 'db' | 'on'>) =>
  consumeEventBatches({
    bus,
    service: 'batches',
    durable: room,
    subject: `evt.room.${room}.>`,
    redelivery: { firstMs: 10, mostMs: 50 },
    ...options,
  })

/** Handles events by writing them down in the consumer's transaction. */
async function intoTable(events: readonly Event[], tx: Tx): Promise<void> {
  await tx.execute(sql`create table if not exists handled (id text, batch int)`)
  for (const { id } of events) await tx.execute(sql`insert into handled values (${id}, ${events.length})`)
}

const handledIn = async (db: BatchConsumerOptions['db']) =>
  (await db.execute<{ id: string; batch: number }>(sql`select id, batch from handled`)).rows

const settled = (durable: string) =>
  eventually(async () => {
    const manager = await bus.nc.jetstreamManager()
    const { num_pending, num_ack_pending } = await manager.consumers.info(eventStream, `batches-${durable}`)
    expect(num_pending + num_ack_pending).toBe(0)
  })

test('what waits is handled many at a time, in order, once', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches1' })
  for (const version of upTo(60)) await store(relay, await commit(database, 'many', [version]))
  const batches: string[][] = []
  await using _consumer = await consumer('many', {
    db: database.db,
    on: async (events) => void batches.push(events.map(({ id }) => id)),
  })
  await settled('many')
  expect(batches.flat()).toEqual(upTo(60).map((version) => `E-many-${version}`))
  expect(batches.length).toBeLessThan(60)
})

test('two processes that get the same events at once handle each once', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches2' })
  await database.db.transaction((tx) => intoTable([], tx))
  const options = { db: database.db, on: intoTable }
  await using _one = await consumer('shared', options)
  await using _two = await consumer('shared', options)
  // The same stream through other durables of the same name in the inbox: as after a loss of the stream.
  await using _again = await consumeEventBatches({
    bus,
    service: 'batches',
    durable: 'shared',
    subject: 'evt.room.shared.>',
    ...options,
  })
  for (const from of upTo(10)) await store(relay, await commit(database, 'shared', upTo(from * 20).slice(-20)))
  await settled('shared')
  const ids = (await handledIn(database.db)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(200)
  expect(ids).toHaveLength(200)
})

test('an event that cannot be handled keeps no other, and is parked', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches3' })
  await database.db.transaction((tx) => intoTable([], tx))
  for (const version of upTo(30)) await store(relay, await commit(database, 'poison', [version]))
  await using _consumer = await consumer('poison', {
    db: database.db,
    on: async (events, tx) => {
      if (events.some(({ version }) => version === 7n)) throw new Error('seven is no good')
      await intoTable(events, tx)
    },
  })
  await settled('poison')
  const ids = (await handledIn(database.db)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(29)
  expect(ids).toHaveLength(29)
  const parked = await database.db.execute<{ event_id: string }>(
    sql`select event_id from parked_events where parked_at is not null`,
  )
  expect(parked.rows).toEqual([{ event_id: 'E-poison-7' }])
})

test('while the database is away nothing is lost and nothing parked', async () => {
  await using writing = await newDatabase()
  await using relay = await startRelay({ ...writing, bus, service: 'batches4' })
  await writing.db.transaction((tx) => intoTable([], tx))
  await using outage = await outageBefore(writing.url)
  await using database = await openDatabase({ url: outage.url, pool: 4, name: 'consumer' })
  await using _consumer = await consumer('away', { db: database.db, on: intoTable })
  await store(relay, await commit(writing, 'away', [1]))
  await eventually(async () => expect(await handledIn(writing.db)).toHaveLength(1))
  await outage.stop()
  for (const version of upTo(40).slice(1)) await store(relay, await commit(writing, 'away', [version]))
  await outage.start()
  await eventually(async () => expect(new Set((await handledIn(writing.db)).map(({ id }) => id)).size).toBe(40))
  expect(await handledIn(writing.db)).toHaveLength(40)
  await eventually(async () => expect((await writing.pool.query('select from parked_events')).rowCount).toBe(0))
})

test('a database that was restored from an older copy gets what it lost again', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches5' })
  await database.db.transaction((tx) => intoTable([], tx))
  {
    await using _consumer = await consumer('restored', { db: database.db, on: intoTable })
    for (const version of upTo(10)) await store(relay, await commit(database, 'restored', [version]))
    await settled('restored')
  }
  const lost = sql.join(
    upTo(10)
      .slice(6)
      .map((version) => sql`${`E-restored-${version}`}`),
    sql`, `,
  )
  await database.db.execute(sql`delete from inbox where event_id in (${lost})`)
  await database.db.execute(sql`delete from handled where id in (${lost})`)
  await using _consumer = await consumer('restored', { db: database.db, on: intoTable })
  await eventually(async () => expect(await handledIn(database.db)).toHaveLength(10))
  await settled('restored')
  expect(new Set((await handledIn(database.db)).map(({ id }) => id)).size).toBe(10)
})
