import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { sql } from 'drizzle-orm'
import { openDatabase, type Tx } from '@parley/postgres'
import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import {
  consumeEvents,
  eventStream,
  startRelay,
  type BatchHandler,
  type BatchPreparation,
  type ConsumerOptions,
} from '../src/index.ts'
import { replaysRequested } from '../src/consume/replay.ts'
import { commit, waitUntilStored, oneTo } from './_events.ts'
import { newDatabase, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

type Own = Pick<ConsumerOptions, 'db' | 'kinds'> & ({ on: BatchHandler } | { beforeTransaction: BatchPreparation })

const consumer = (room: string, { db, kinds, ...batches }: Own) =>
  consumeEvents({
    bus,
    service: 'batches',
    durable: room,
    subject: `evt.room.${room}.>`,
    redelivery: { initialMs: 10, maxMs: 50 },
    ...{ db, batches, ...(kinds && { kinds }) },
  })

async function recordHandled(events: readonly Event[], tx: Tx): Promise<void> {
  await tx.execute(sql`create table if not exists handled (id text, batch int)`)
  for (const { id } of events) await tx.execute(sql`insert into handled values (${id}, ${events.length})`)
}

const readHandled = async (db: ConsumerOptions['db']) =>
  (await db.execute<{ id: string; batch: number }>(sql`select id, batch from handled`)).rows

const untilAcknowledged = (durable: string) =>
  eventually(async () => {
    const manager = await bus.nc.jetstreamManager()
    const { num_pending, num_ack_pending } = await manager.consumers.info(eventStream, `batches-${durable}`)
    expect(num_pending + num_ack_pending).toBe(0)
  })

test('waiting events are handled in batches, in order, and each once', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches1' })
  for (const version of oneTo(60)) await waitUntilStored(relay, await commit(database, 'many', [version]))
  const batches: string[][] = []
  await using _consumer = await consumer('many', {
    db: database.db,
    on: async (events) => void batches.push(events.map(({ id }) => id)),
  })
  await untilAcknowledged('many')
  expect(batches.flat()).toEqual(oneTo(60).map((version) => `E-many-${version}`))
  expect(batches.length).toBeLessThan(60)
})

test('each event is handled by only one of several consumers of a durable', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches2' })
  await database.db.transaction((tx) => recordHandled([], tx))
  const options = { db: database.db, on: recordHandled }
  await using _one = await consumer('shared', options)
  await using _two = await consumer('shared', options)
  await using _again = await consumeEvents({
    bus,
    service: 'batches',
    durable: 'shared',
    subject: 'evt.room.shared.>',
    db: database.db,
    batches: { on: recordHandled },
  })
  for (const from of oneTo(10))
    await waitUntilStored(relay, await commit(database, 'shared', oneTo(from * 20).slice(-20)))
  await untilAcknowledged('shared')
  const ids = (await readHandled(database.db)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(200)
  expect(ids).toHaveLength(200)
})

test('a failing event is parked and does not block others, and a replay handles it', async () => {
  let isRepaired = false
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches3' })
  await database.db.transaction((tx) => recordHandled([], tx))
  for (const version of oneTo(30)) await waitUntilStored(relay, await commit(database, 'poison', [version]))
  await using _consumer = await consumer('poison', {
    db: database.db,
    on: async (events, tx) => {
      if (!isRepaired && events.some(({ version }) => version === 7n)) throw new Error('seven is no good')
      await recordHandled(events, tx)
    },
  })
  await untilAcknowledged('poison')
  const ids = (await readHandled(database.db)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(29)
  expect(ids).toHaveLength(29)
  const parked = await database.db.execute<{ event_id: string }>(
    sql`select event_id from parked_events where parked_at is not null`,
  )
  expect(parked.rows).toEqual([{ event_id: 'E-poison-7' }])
  isRepaired = true
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`update parked_events set replay_requested_at = now()`)
    replaysRequested.notify(tx)
  })
  await eventually(async () => expect(await readHandled(database.db)).toHaveLength(30))
})

test('while the database is down, no event is lost or parked', async () => {
  await using writing = await newDatabase()
  await using relay = await startRelay({ ...writing, bus, service: 'batches4' })
  await writing.db.transaction((tx) => recordHandled([], tx))
  await using outage = await outageProxy(writing.url)
  await using database = await openDatabase({ url: outage.url, pool: 4, name: 'consumer' })
  await using _consumer = await consumer('unavailable', { db: database.db, on: recordHandled })
  await waitUntilStored(relay, await commit(writing, 'unavailable', [1]))
  await eventually(async () => expect(await readHandled(writing.db)).toHaveLength(1))
  await outage.stop()
  for (const version of oneTo(40).slice(1))
    await waitUntilStored(relay, await commit(writing, 'unavailable', [version]))
  await outage.start()
  await eventually(async () => expect(new Set((await readHandled(writing.db)).map(({ id }) => id)).size).toBe(40))
  expect(await readHandled(writing.db)).toHaveLength(40)
  await eventually(async () => expect((await writing.pool.query('select from parked_events')).rowCount).toBe(0))
})

test('after a restore of the database, the events handled since the backup are handled again', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches5' })
  await database.db.transaction((tx) => recordHandled([], tx))
  {
    await using _consumer = await consumer('restored', { db: database.db, on: recordHandled })
    for (const version of oneTo(10)) await waitUntilStored(relay, await commit(database, 'restored', [version]))
    await untilAcknowledged('restored')
  }
  const lost = sql.join(
    oneTo(10)
      .slice(6)
      .map((version) => sql`${`E-restored-${version}`}`),
    sql`, `,
  )
  await database.db.execute(sql`delete from inbox where event_id in (${lost})`)
  await database.db.execute(sql`delete from handled where id in (${lost})`)
  await using _consumer = await consumer('restored', { db: database.db, on: recordHandled })
  await eventually(async () => expect(await readHandled(database.db)).toHaveLength(10))
  await untilAcknowledged('restored')
  expect(new Set((await readHandled(database.db)).map(({ id }) => id)).size).toBe(10)
})

test('events are prepared first, and no attempt is counted while another service is unavailable', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches6' })
  await database.db.transaction((tx) => recordHandled([], tx))
  for (const version of oneTo(20)) await relay.waitUntilStored(await commit(database, 'asking', [version]))
  let requested = 0
  let committed = 0
  await using _consumer = await consumer('asking', {
    db: database.db,
    beforeTransaction: async (events) => {
      if (++requested < 6)
        throw new ConnectError('unavailable', requested % 2 === 0 ? Code.Unavailable : Code.DeadlineExceeded)
      const prepared = new Set(events.map(({ id }) => id))
      const unavailable = requested < 15 ? events.filter(({ version }) => version % 4n === 0n) : []
      const code = requested % 2 === 0 ? Code.Unavailable : Code.DeadlineExceeded
      return {
        failed: new Map(unavailable.map(({ id }) => [id, new ConnectError('unavailable', code)])),
        handle: async (received, tx) => {
          expect(received.every(({ id }) => prepared.has(id) && !unavailable.some((one) => one.id === id))).toBe(true)
          await recordHandled(received, tx)
          return () => void (committed += received.length)
        },
      }
    },
  })
  await untilAcknowledged('asking')
  const handled = await readHandled(database.db)
  expect(new Set(handled.map(({ id }) => id))).toEqual(new Set(oneTo(20).map((version) => `E-asking-${version}`)))
  expect([handled.length, committed]).toEqual([20, 20])
  expect(Math.max(...handled.map(({ batch }) => batch))).toBeGreaterThan(1)
  expect((await database.pool.query('select from parked_events')).rowCount).toBe(0)
})

test('events of other kinds are acknowledged without calling the handler', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches7' })
  const seen: string[] = []
  for (const version of oneTo(6))
    await relay.waitUntilStored(
      await commit(database, 'kinds', [version], version % 2 === 0 ? 'message_posted' : 'typing'),
    )
  await using _consumer = await consumer('kinds', {
    db: database.db,
    kinds: ['message_posted'],
    on: async (events) => void seen.push(...events.map(({ id }) => id)),
  })
  await untilAcknowledged('kinds')
  expect(seen).toEqual(['E-kinds-2', 'E-kinds-4', 'E-kinds-6'])
  expect((await database.pool.query('select from inbox')).rowCount).toBe(3)
})

test('an event that is handled after failures leaves no failure behind', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches8' })
  await relay.waitUntilStored(await commit(database, 'again', [1]))
  let tries = 0
  await using _consumer = await consumer('again', {
    db: database.db,
    on: async () => {
      if (++tries < 4) throw new Error('not yet')
    },
  })
  await untilAcknowledged('again')
  expect(tries).toBe(4)
  expect((await database.pool.query('select from parked_events')).rowCount).toBe(0)
})

test('an event whose preparation fails is parked and does not block others', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'batches9' })
  await database.db.transaction((tx) => recordHandled([], tx))
  for (const version of oneTo(9)) await relay.waitUntilStored(await commit(database, 'unclear', [version]))
  await using _consumer = await consumer('unclear', {
    db: database.db,
    beforeTransaction: async (events) => ({
      failed: new Map(events.flatMap(({ id, version }) => (version === 4n ? [[id, new Error('what?')] as const] : []))),
      handle: recordHandled,
    }),
  })
  await untilAcknowledged('unclear')
  const handled = (await readHandled(database.db)).map(({ id }) => id)
  expect(new Set(handled)).toEqual(new Set([1, 2, 3, 5, 6, 7, 8, 9].map((version) => `E-unclear-${version}`)))
  expect(handled).toHaveLength(8)
  const parked = await database.pool.query('select event_id, attempts from parked_events where parked_at is not null')
  expect(parked.rows).toEqual([{ event_id: 'E-unclear-4', attempts: 10 }])
})
