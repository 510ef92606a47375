import { setTimeout } from 'node:timers/promises'
import { expect, jest, test } from '@jest/globals'
import { AckPolicy } from 'nats'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import {
  consumeEvents,
  declareStreams,
  eventStream,
  followEvents,
  keepStream,
  readRecoveries,
  recoveriesIn,
  startRelay,
} from '../src/index.ts'
import { requestKeeper } from '../src/keep/requests.ts'
import { readLagsOfDurables, resetDurables } from '../src/keep/durables.ts'
import { jetStream } from '../src/stream/api.ts'
import { verifyPositions } from '../src/stream/position.ts'
import { keeperSubject, readerSubject } from '../src/subjects.ts'
import { commit, waitUntilStored } from './_events.ts'
import { newBus, newDatabase, newServer } from './_servers.ts'

test('relay, consumer and follower wait for a keeper, continue after it ends, and recover from a server restart', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using keeperBus = await newBus(server, 'admin')
  const handled: string[] = []
  const followed: string[] = []
  await using relay = await startRelay({ ...database, bus, service: 'kept' })
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'kept', durable: 'all', subject: 'evt.>' },
    on: async ({ id }) => void handled.push(id),
  })
  const following = followEvents({
    ...{ bus, subject: 'evt.>' },
    onEvents: (events) => void followed.push(...events.map(({ id }) => id)),
    onReset: () => undefined,
  })
  await commit(database, 'room1', [1])
  const first = await keepStream(keeperBus)
  await using _follower = await following
  await eventually(() => expect(handled).toEqual(['E-room1-1']))
  await waitUntilStored(relay, await commit(database, 'room1', [2]))
  await eventually(() => expect(followed.at(-1)).toBe('E-room1-2'))

  await first[Symbol.asyncDispose]()
  await waitUntilStored(relay, await commit(database, 'room1', [3]))
  await eventually(() => expect([handled.at(-1), followed.at(-1)]).toEqual(['E-room1-3', 'E-room1-3']))

  await server.stop()
  await server.start()
  await waitUntilStored(relay, await commit(database, 'room1', [4]))
  await eventually(() => expect(handled.at(-1)).toBe('E-room1-4'))
  // The follower's reader was lost with the server, so it needs a keeper.
  await using _second = await keepStream(keeperBus)
  await eventually(() => expect(followed.at(-1)).toBe('E-room1-4'))
  expect(handled).toHaveLength(4)
}, 300_000)

test('a repeated request for a reader returns the same number of stored messages', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  for (let n = 0; n < 3; n++) await bus.nc.jetstream().publish('evt.room.R1.room_updated', 'something')
  const request = { id: 'R'.repeat(20), subject: 'evt.>', startSeq: 1 }
  let delivered = 0
  bus.nc.subscribe(readerSubject(bus.name, request.id), { callback: () => void delivered++ })
  expect(await requestKeeper(bus, 'reader', request)).toEqual({ pending: 3 })
  await eventually(() => expect(delivered).toBe(3))
  expect(await requestKeeper(bus, 'reader', request)).toEqual({ pending: 3 })
})

test('each false report of a loss recreates durables, until the caller is refused', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await bus.nc.jetstream().publish('evt.room.R1.room_updated', 'something')
  const request = (requester: string) =>
    requestKeeper(bus, 'durable', { durable: 'all', subject: 'evt.>', anew: false }, requester)
  await request('one')
  const manager = await bus.nc.jetstreamManager()
  const created = async () => (await manager.consumers.info(eventStream, 'one-all')).created
  const seen = new Set([await created()])
  let refusal: unknown
  for (let claims = 0; claims < 12 && refusal === undefined; claims++) {
    await requestKeeper(bus, 'restore', { seq: 1, eventId: 'never-there', storedMsAgo: 0 }, 'liar').catch(
      (error: unknown) => (refusal = error),
    )
    seen.add(await created())
  }
  expect(refusal).toMatchObject({ message: expect.stringContaining('too often') })
  expect(seen.size).toBe(9)
  await requestKeeper(bus, 'restore', { seq: 1, eventId: 'never-there', storedMsAgo: 0 }, 'other')
  expect(seen).not.toContain(await created())
})

test('after a loss of the stream, durables are recreated once, however many reports and keepers there are', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  const recoveries = recoveriesIn(database.db)
  await using _one = await keepStream(bus, { recoveries })
  await using _two = await keepStream(bus, { recoveries })
  await declareStreams(bus)
  await requestKeeper(bus, 'durable', { durable: 'all', subject: 'evt.>', anew: false }, 'one')
  const manager = await bus.nc.jetstreamManager()
  const created = async () => (await manager.consumers.info(eventStream, 'one-all')).created
  const restore = (storedMsAgo: number) =>
    Promise.all(
      ['accounts', 'rooms', 'messaging', 'calls'].map((requester) =>
        requestKeeper(bus, 'restore', { seq: 1000, eventId: 'missing', storedMsAgo }, requester),
      ),
    )
  const before = await created()
  await restore(60_000)
  const once = await created()
  expect(once).not.toBe(before)
  expect(await readRecoveries(database.db)).toEqual({ generation: 1, recoveredAt: expect.any(Date), lostEvents: 0n })
  await restore(60_000)
  expect(await created()).toBe(once)
  await manager.streams.delete(eventStream)
  await declareStreams(bus)
  await restore(60_000)
  expect((await readRecoveries(database.db)).generation).toBe(2)
  // An event stored after the last recovery is missing: the stream was lost again.
  await requestKeeper(bus, 'restore', { seq: 1000, eventId: 'missing', storedMsAgo: 0 }, 'rooms')
  expect((await readRecoveries(database.db)).generation).toBe(3)
})

test('a keeper that stalls during a recovery stops recreating durables once another keeper took over', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using _keeper = await keepStream(bus, { recoveries: recoveriesIn(database.db) })
  await declareStreams(bus)
  for (const durable of ['a', 'b'])
    await requestKeeper(bus, 'durable', { durable, subject: `evt.${durable}.>`, anew: false }, 'one')
  const manager = await bus.nc.jetstreamManager()
  const created = () =>
    Promise.all(['one-a', 'one-b'].map(async (name) => (await manager.consumers.info(eventStream, name)).created))
  let recreated: string[] = []
  const frozen = recoveriesIn(database.db).runExclusively(async (_last, assertHeld) => {
    await resetDurables(bus, async () => {
      await assertHeld()
      if (recreated.length > 0) return
      // When a process stalls, the database ends its idle transaction.
      await database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`)
      await requestKeeper(bus, 'restore', { seq: 1000, eventId: 'missing', storedMsAgo: 60_000 }, 'rooms')
      recreated = await created()
    })
    return undefined
  })
  await expect(frozen).rejects.toThrow()
  expect((await readRecoveries(database.db)).generation).toBe(1)
  expect((await created())[1]).toBe(recreated[1])
})

test('a recovery may take longer than the time limit of an idle transaction', async () => {
  await using database = await newDatabase()
  const state = { created: 'then', newest: undefined }
  await recoveriesIn(database.db).runExclusively(async (_last, assertHeld) => {
    for (let step = 0; step < 6; step++) {
      await setTimeout(500)
      await assertHeld()
    }
    return state
  })
  expect((await readRecoveries(database.db)).generation).toBe(1)
})

test('each caller can create a limited number of durables, whose subjects cannot change', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  const declare = (durable: string, subject = 'evt.>', requester = 'one') =>
    requestKeeper(bus, 'durable', { durable, subject, anew: false }, requester)
  for (let n = 0; n < 64; n++) await declare(`d${n}`)
  await expect(declare('one-more')).rejects.toThrow('too many durables')
  await declare('d1')
  await declare('d1', 'evt.room.>', 'two')
  await expect(declare('d1', 'evt.room.>')).rejects.toThrow('needs another name')

  const { consumers } = await bus.nc.jetstreamManager()
  const inactiveThreshold = async () => (await consumers.info(eventStream, 'one-d2')).config.inactive_threshold
  const hour = 3_600_000_000_000
  expect(await inactiveThreshold()).toBe(72 * hour)
  await consumers.update(eventStream, 'one-d2', { inactive_threshold: hour })
  await declare('d2')
  expect(await inactiveThreshold()).toBe(72 * hour)
})

test('an event that may have expired counts as present if the stream has reached its sequence', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await eventually(() => bus.nc.jetstream().publish('evt.room.R1.room_updated', 'something'))
  const positionAt = (seq: number) => ({ seq, eventId: 'long-gone', storedAt: Date.now() - 72 * 3_600_000 })
  const verify = (seq: number) => verifyPositions(bus, { anchor: undefined, newest: positionAt(seq) })
  expect(await verify(1)).toBe('present')
  expect(await verify(2)).toBe('missing')
})

test('an unanswered request is repeated, unless the keeper must not carry it out twice', async () => {
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using keeperBus = await newBus(server, 'admin')
  const received: string[] = []
  // The first request of each kind gets no answer.
  keeperBus.nc.subscribe(keeperSubject(bus.name, '*'), {
    callback: (_error, message) => {
      const verb = message.subject.split('.').at(-1) ?? ''
      if (received.includes(verb)) message.respond(JSON.stringify({ answer: { lastSeq: 7 } }))
      received.push(verb)
    },
  })
  await keeperBus.nc.flush()
  expect(await requestKeeper(bus, 'state', {})).toEqual({ lastSeq: 7 })
  await expect(requestKeeper(bus, 'durable', { durable: 'all', subject: 'evt.>', anew: true })).rejects.toThrow(
    /TIMEOUT/,
  )
  expect(received).toEqual(['state', 'state', 'durable'])
})

test('the keeper reports the messages, the size and the size limit of the stream as metrics', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using keeperBus = await newBus(server, 'admin')
  await using _keeper = await keepStream(keeperBus, { maxBytes: 50_000_000 })
  await using relay = await startRelay({ ...database, bus, service: 'kept' })
  await waitUntilStored(relay, await commit(database, 'room1', [1]))
  await using _next = await keepStream(keeperBus, { maxBytes: 50_000_000 })
  await eventually(async () => {
    const text = await metricsText()
    expect(text).toMatch(/^parley_stream_messages [1-9]/m)
    expect(text).toMatch(/^parley_stream_size_bytes [1-9]/m)
    expect(text).toMatch(/^parley_stream_size_limit_bytes 50000000$/m)
    expect(text).not.toMatch(/^parley_stream_message_limit/m)
  })
})

test('services that request their lags at about the same time share one list of durables', async () => {
  await using server = await newServer()
  await using bus = await newBus(server, 'admin')
  await declareStreams(bus)
  const { manager } = await jetStream(bus)
  for (const name of ['one-all', 'two-all'])
    await manager.consumers.add(eventStream, { durable_name: name, ack_policy: AckPolicy.Explicit })
  const list = jest.spyOn(manager.consumers, 'list')
  const [one, two] = await Promise.all([readLagsOfDurables(bus, 'one-'), readLagsOfDurables(bus, 'two-')])
  expect([one, two]).toEqual([{ 'one-all': 0 }, { 'two-all': 0 }])
  expect(list).toHaveBeenCalledTimes(1)
  expect(await readLagsOfDurables(bus, 'three-')).toEqual({})
  await manager.consumers.add(eventStream, { durable_name: 'three-all', ack_policy: AckPolicy.Explicit })
  expect(await readLagsOfDurables(bus, 'three-')).toEqual({ 'three-all': 0 })
})

test('after a failure, the list of durables is requested again', async () => {
  await using server = await newServer()
  await using bus = await newBus(server, 'admin')
  await declareStreams(bus)
  const { manager } = await jetStream(bus)
  jest.spyOn(manager.consumers, 'list').mockImplementationOnce(() => {
    throw new Error('not now')
  })
  await expect(readLagsOfDurables(bus, 'one-')).rejects.toThrow('not now')
  expect(await readLagsOfDurables(bus, 'one-')).toEqual({})
})
