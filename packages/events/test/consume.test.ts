import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { EventSchema } from '@parley/contracts/internal'
import { openDatabase } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import {
  consumeEvents,
  startRelay,
  type ConsumerOptions,
  type EventHandler,
  type EventPreparation,
} from '../src/index.ts'
import { replayParked } from '../src/consume/replay.ts'
import { watchConsumer } from '../src/consume/watch.ts'
import { parkedEvents } from '../src/schema.ts'
import { keeperSubject } from '../src/subjects.ts'
import { commit, waitUntilStored, oneTo } from './_events.ts'
import { operatorOf } from './_operator.ts'
import { newBus, newDatabase, newServer, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

const shortDelays = { initialMs: 10, maxMs: 50 }

const consumer = (
  room: string,
  options: Pick<ConsumerOptions, 'db' | 'kinds' | 'redelivery'> & { bus?: Bus } & (
      | { on: EventHandler }
      | { beforeTransaction: EventPreparation }
    ),
) =>
  consumeEvents({
    bus,
    service: 'test',
    durable: room,
    subject: `evt.room.${room}.>`,
    redelivery: shortDelays,
    ...options,
  })

test('each event is handled by only one of two processes of a consumer, even if it was stored before they started', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'once' })
  await waitUntilStored(relay, await commit(database, 'once', oneTo(50)))
  const handled: string[] = []
  const on = async (event: { id: string }) => void handled.push(event.id)
  await using _one = await consumer('once', { db: database.db, on })
  await using _two = await consumer('once', { db: database.db, on })
  await waitUntilStored(relay, await commit(database, 'once', oneTo(100).slice(50)))
  await eventually(() => expect(new Set(handled).size).toBe(100))
  expect(handled).toHaveLength(100)
})

test('after a restore of the database, the events handled since the backup are handled again', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'older' })
  const handled: string[] = []
  const on = async (event: { id: string }) => void handled.push(event.id)
  const all = oneTo(4).map((version) => `E-older-${version}`)
  {
    await using _consumer = await consumer('older', { db: database.db, on })
    for (const version of oneTo(4)) await waitUntilStored(relay, await commit(database, 'older', [version]))
    await eventually(() => expect(handled).toEqual(all))
  }
  await database.pool.query('delete from inbox where event_id = any($1)', [all.slice(2)])
  await using _consumer = await consumer('older', { db: database.db, on })
  await eventually(() => expect(handled).toEqual([...all, ...all.slice(2)]))
})

test('only the configured kinds are handled', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'kinds' })
  const handled: string[] = []
  await using _consumer = await consumer('kinds', {
    db: database.db,
    kinds: ['room_archived'],
    on: async (event) => void handled.push(event.kind),
  })
  await waitUntilStored(relay, await commit(database, 'kinds', [1]))
  await waitUntilStored(relay, await commit(database, 'kinds', [2], 'room_archived'))
  await waitUntilStored(relay, await commit(database, 'kinds', [3], 'room_archived'))
  await eventually(() => expect(handled).toHaveLength(2))
  expect(handled).toEqual(['room_archived', 'room_archived'])
})

test('no attempt is counted while the preparation of an event needs an unavailable service', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'asking' })
  let requests = 0
  const handled: bigint[] = []
  await using _consumer = await consumer('asking', {
    db: database.db,
    beforeTransaction: async ({ version }) => {
      if (version === 2n) return undefined
      if (++requests < 15)
        throw new ConnectError('unavailable', requests % 2 === 0 ? Code.Unavailable : Code.DeadlineExceeded)
      return async () => void handled.push(version)
    },
  })
  await waitUntilStored(relay, await commit(database, 'asking', oneTo(3)))
  await eventually(() => expect(handled.toSorted()).toEqual([1n, 3n]))
  const { rows } = await database.pool.query('select from parked_events')
  expect(rows).toEqual([])
})

test('a parked event is listed, handled again on request, and stays parked if it fails again', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'replayed' })
  let isRepaired = false
  const handled: string[] = []
  await using _consumer = await consumer('replayed', {
    db: database.db,
    on: async (event) => {
      if (!isRepaired) throw new Error('not yet')
      await Promise.resolve()
      handled.push(event.id)
    },
  })
  const { listParkedEvents, replayParkedEvents } = operatorOf(database.db)
  const listParked = async () => {
    const { events } = await listParkedEvents({})
    return events.map(({ key, attempts, lastError }) => [key?.consumer, key?.eventId, attempts, lastError])
  }
  await waitUntilStored(relay, await commit(database, 'replayed', [1, 2]))
  const parkedAs = (id: string, attempts: number) => ['test-replayed', id, attempts, 'Error: not yet']
  const [first, second] = ['E-replayed-1', 'E-replayed-2']
  await eventually(async () => expect(await listParked()).toEqual([parkedAs(first, 10), parkedAs(second, 10)]))
  const page = await listParkedEvents({ limit: 1, after: { consumer: 'test-replayed', eventId: first } })
  expect(page.events).toMatchObject([
    {
      key: { eventId: second },
      replayRequested: false,
      subject: expect.stringContaining('replayed'),
    },
  ])
  expect(await replayParkedEvents({ consumer: 'test-replayed', eventIds: [first] })).toMatchObject({ requested: 1 })
  await eventually(async () => expect(await listParked()).toEqual([parkedAs(first, 11), parkedAs(second, 10)]))
  isRepaired = true
  expect(await replayParkedEvents({ consumer: 'another' })).toMatchObject({ requested: 0 })
  expect(await replayParkedEvents({})).toMatchObject({ requested: 2 })
  await eventually(async () => expect(await listParked()).toEqual([]))
  expect(handled.sort()).toEqual([first, second])
  await eventually(async () =>
    expect(await metricsText()).toMatch(/parley_consumer_replayed_total\{[^}]*test-replayed[^}]*\} 2/),
  )
})

test('a parked event that two processes replay at once is handled and counted once', async () => {
  await using database = await newDatabase()
  const { db } = database
  const event = create(EventSchema, { id: 'E-twice', kind: 'message_posted' })
  await db.insert(parkedEvents).values({
    ...{ consumer: 'test-twice', eventId: event.id, subject: 'evt.room.twice', payload: toBinary(EventSchema, event) },
    ...{ attempts: 10, lastError: 'why', parkedAt: new Date(), replayRequestedAt: new Date() },
  })
  let handled = 0
  const { signal } = new AbortController()
  const prepare = async () => async () => void handled++
  // The second process has also read the event when the first one handles it.
  let isFirst = true
  const prepareAfterOther = async () => {
    if (isFirst) {
      isFirst = false
      await replayParked({ db, consumer: 'test-twice', prepare }, signal)
    }
    return prepare()
  }
  await replayParked({ db, consumer: 'test-twice', prepare: prepareAfterOther }, signal)
  expect(handled).toBe(1)
  expect(await metricsText()).toMatch(/parley_consumer_replayed_total\{[^}]*test-twice[^}]*\} 1/)
})

test('one request finds the lags of all consumers; parked events are counted until they are replayed', async () => {
  await using database = await newDatabase()
  const { db } = database
  await using relay = await startRelay({ ...database, bus, service: 'watched' })
  let isRepaired = false
  const hold = new AbortController()
  const busy = new Promise<void>((resolve) => hold.signal.addEventListener('abort', () => resolve()))
  await using _behind = await consumer('behind', { db, on: () => busy })
  await using _parking = await consumer('parking', {
    db,
    on: () => (isRepaired ? Promise.resolve() : Promise.reject(new Error('not yet'))),
  })
  let requests = 0
  let wakes = 0
  bus.nc.subscribe(keeperSubject('test', 'lags'), { callback: () => void requests++ })
  await using watch = watchConsumer(db, { bus, durable: { service: 'test', durable: 'neither' }, onReplay: () => {} })
  using _end = { [Symbol.dispose]: () => hold.abort() }
  const untilMetricsShow = (lag: string, parked: string) =>
    eventually(async () => {
      watch.wake()
      wakes += 1
      const text = await metricsText()
      expect(text).toMatch(new RegExp(`parley_consumer_pending\\{[^}]*test-behind[^}]*\\} ${lag}`))
      expect(text).toMatch(new RegExp(`parley_consumer_parked_waiting\\{[^}]*test-parking[^}]*\\} ${parked}`))
    })
  await waitUntilStored(relay, await commit(database, 'behind', [1]))
  await waitUntilStored(relay, await commit(database, 'parking', [1]))
  await untilMetricsShow('1', '1')
  isRepaired = true
  // Another process received the request for a replay, so this one is not notified.
  await db.update(parkedEvents).set({ replayRequestedAt: new Date() })
  await untilMetricsShow('1', '0')
  hold.abort()
  await untilMetricsShow('0', '0')
  expect(requests).toBeLessThanOrEqual(1 + wakes)
})

test('an event that fails ten times is parked, and the other events of its message and room are handled', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'poison' })
  await database.pool.query('create table seen (version int)')
  let tries = 0
  const handled: number[] = []
  await using _consumer = await consumer('poison', {
    db: database.db,
    on: async (event, tx) => {
      await tx.execute(`insert into seen values (${event.version})`)
      if (event.version === 2n) {
        tries++
        throw new Error('poison')
      }
      handled.push(Number(event.version))
    },
  })
  await waitUntilStored(relay, await commit(database, 'poison', [1, 2, 3]))
  await waitUntilStored(relay, await commit(database, 'poison', [4]))
  await eventually(() => expect(handled.slice().sort()).toEqual([1, 3, 4]))
  const readParked = async () => {
    const result = await database.pool.query<Record<string, unknown>>(
      'select consumer, event_id, attempts, last_error from parked_events where parked_at is not null',
    )
    return result.rows
  }
  await eventually(async () => expect(await readParked()).toHaveLength(1))
  expect(await readParked()).toEqual([
    { consumer: 'test-poison', event_id: 'E-poison-2', attempts: 10, last_error: 'Error: poison' },
  ])
  await waitUntilStored(relay, await commit(database, 'poison', [5]))
  const readSeen = async () => {
    const { rows } = await database.pool.query<{ version: number }>('select version from seen order by version')
    return rows.map(({ version }) => version)
  }
  await eventually(async () => expect(await readSeen()).toEqual([1, 3, 4, 5]))
  expect(handled).toHaveLength(4)
  expect(tries).toBe(10)
})

test('an event that fails at first is handled later, and its failures are deleted', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'while' })
  let tries = 0
  let handled = 0
  await using _consumer = await consumer('while', {
    db: database.db,
    on: async () => {
      if (++tries < 4) throw new Error('not yet')
      handled++
    },
  })
  await waitUntilStored(relay, await commit(database, 'while', [1]))
  await eventually(() => expect(handled).toBe(1))
  await eventually(async () => expect((await database.pool.query('select from parked_events')).rowCount).toBe(0))
})

test('while the database is down, no event is lost and no failure is counted', async () => {
  await using writing = await newDatabase()
  await using relay = await startRelay({ ...writing, bus, service: 'outage' })
  await using outage = await outageProxy(writing.url)
  await using database = await openDatabase({ url: outage.url, pool: 4, name: 'consumer' })
  const handled: number[] = []
  await using _consumer = await consumer('outage', {
    db: database.db,
    on: async (event) => void handled.push(Number(event.version)),
  })
  await waitUntilStored(relay, await commit(writing, 'outage', [1]))
  await eventually(() => expect(handled).toEqual([1]))
  await outage.stop()
  for (const version of oneTo(40).slice(1)) await waitUntilStored(relay, await commit(writing, 'outage', [version]))
  await outage.start()
  await eventually(() => expect(new Set(handled).size).toBe(40))
  await eventually(async () => expect((await writing.pool.query('select from parked_events')).rowCount).toBe(0))
})

test('while the stream is down, no event is lost', async () => {
  await using database = await newDatabase()
  await using own = await newServer()
  await using ownBus = await newBus(own)
  const handled: number[] = []
  await using _consumer = await consumer('restart', {
    bus: ownBus,
    db: database.db,
    on: async (event) => void handled.push(Number(event.version)),
  })
  await using relay = await startRelay({ ...database, bus: ownBus, service: 'restart' })
  await waitUntilStored(relay, await commit(database, 'restart', [1]))
  await eventually(() => expect(handled).toEqual([1]))
  await own.stop()
  await commit(database, 'restart', [2, 3])
  await own.start()
  await eventually(() => expect(handled.slice().sort()).toEqual([1, 2, 3]))
})

test('a message that is not an event batch does not block others', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'garbage' })
  await bus.nc.jetstream().publish('evt.room.garbage.room_updated', 'garbage')
  const handled: string[] = []
  await using _consumer = await consumer('garbage', {
    db: database.db,
    on: async (event) => void handled.push(event.id),
  })
  await waitUntilStored(relay, await commit(database, 'garbage', [1]))
  await eventually(() => expect(handled).toEqual(['E-garbage-1']))
  const manager = await bus.nc.jetstreamManager()
  await eventually(async () => {
    const info = await manager.consumers.info('EVENTS', 'test-garbage')
    expect(info.num_ack_pending + info.num_pending).toBe(0)
  })
})
