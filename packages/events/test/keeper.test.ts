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
import { lagsOfDurables, resetDurables } from '../src/keep/durables.ts'
import { jetStream } from '../src/stream/api.ts'
import { verifyPlaces } from '../src/stream/place.ts'
import { keeperSubject, readerSubject } from '../src/subjects.ts'
import { commit, store } from './_events.ts'
import { newBus, newDatabase, newServer } from './_servers.ts'

test('a starting process waits for a keeper; running ones continue without one, also after a restart of the server', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using keepersBus = await newBus(server, 'admin')
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
  const first = await keepStream(keepersBus)
  await using _follower = await following
  await eventually(() => expect(handled).toEqual(['E-room1-1']))
  await store(relay, await commit(database, 'room1', [2]))
  await eventually(() => expect(followed.at(-1)).toBe('E-room1-2'))

  await first[Symbol.asyncDispose]()
  await store(relay, await commit(database, 'room1', [3]))
  await eventually(() => expect([handled.at(-1), followed.at(-1)]).toEqual(['E-room1-3', 'E-room1-3']))

  await server.stop()
  await server.start()
  await store(relay, await commit(database, 'room1', [4]))
  await eventually(() => expect(handled.at(-1)).toBe('E-room1-4'))
  // Its reader was lost with the server.
  await using _second = await keepStream(keepersBus)
  await eventually(() => expect(followed.at(-1)).toBe('E-room1-4'))
  expect(handled).toHaveLength(4)
}, 300_000)

test('a repeated request for a reader returns the number of all messages with which the reader begins', async () => {
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

test('a claimed loss recreates durables once, and repeated claims are limited', async () => {
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
  // Other deployables are still answered.
  await requestKeeper(bus, 'restore', { seq: 1, eventId: 'never-there', storedMsAgo: 0 }, 'other')
  expect(seen).not.toContain(await created())
})

test('one loss recreates durables once, with any keeper and any number of reports', async () => {
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
        requestKeeper(bus, 'restore', { seq: 1000, eventId: 'gone', storedMsAgo }, requester),
      ),
    )
  const before = await created()
  await restore(60_000)
  const once = await created()
  expect(once).not.toBe(before)
  expect(await readRecoveries(database.db)).toEqual({ generation: 1, recoveredAt: expect.any(Date), lostEvents: 0n })
  await restore(60_000)
  expect(await created()).toBe(once)
  // The stream is lost again: the state of the last recovery is outdated.
  await manager.streams.delete(eventStream)
  await declareStreams(bus)
  await restore(60_000)
  expect((await readRecoveries(database.db)).generation).toBe(2)
  // Events stored after it are gone: another loss.
  await requestKeeper(bus, 'restore', { seq: 1000, eventId: 'gone', storedMsAgo: 0 }, 'rooms')
  expect((await readRecoveries(database.db)).generation).toBe(3)
})

test('a keeper that hung during a recovery recreates nothing after another has recovered', async () => {
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
  let remade: string[] = []
  const frozen = recoveriesIn(database.db).turn(async (_last, held) => {
    await resetDurables(bus, async () => {
      await held()
      if (remade.length > 0) return
      // The effect of a freeze: its idle transaction is ended.
      await database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`)
      await requestKeeper(bus, 'restore', { seq: 1000, eventId: 'gone', storedMsAgo: 60_000 }, 'rooms')
      remade = await created()
    })
    return undefined
  })
  await expect(frozen).rejects.toThrow()
  expect((await readRecoveries(database.db)).generation).toBe(1)
  expect((await created())[1]).toBe(remade[1])
})

test('a recovery may take longer than a transaction may idle', async () => {
  await using database = await newDatabase()
  const state = { created: 'then', newest: undefined }
  await recoveriesIn(database.db).turn(async (_last, held) => {
    for (let step = 0; step < 6; step++) {
      await setTimeout(500)
      await held()
    }
    return state
  })
  expect((await readRecoveries(database.db)).generation).toBe(1)
})

test('a durable is created for any caller, with one subject, up to a limit', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  const make = (durable: string, subject = 'evt.>', requester = 'one') =>
    requestKeeper(bus, 'durable', { durable, subject, anew: false }, requester)
  for (let n = 0; n < 64; n++) await make(`d${n}`)
  await expect(make('one-more')).rejects.toThrow('too many durables')
  await make('d1')
  await make('d1', 'evt.room.>', 'two')
  await expect(make('d1', 'evt.room.>')).rejects.toThrow('needs another name')

  // A durable of an earlier release without pulls is deleted with the events for it.
  const { consumers } = await bus.nc.jetstreamManager()
  const forgottenAfter = async () => (await consumers.info(eventStream, 'one-d2')).config.inactive_threshold
  const hour = 3_600_000_000_000
  expect(await forgottenAfter()).toBe(72 * hour)
  await consumers.update(eventStream, 'one-d2', { inactive_threshold: hour })
  await make('d2')
  expect(await forgottenAfter()).toBe(72 * hour)
})

test('a place that may have expired is considered present while the stream reaches beyond it', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  // The server may not accept messages yet.
  await eventually(() => bus.nc.jetstream().publish('evt.room.R1.room_updated', 'something'))
  const place = (seq: number) => ({ seq, eventId: 'long-gone', storedAt: Date.now() - 72 * 3_600_000 })
  const look = (seq: number) => verifyPlaces(bus, { anchor: undefined, newest: place(seq) })
  expect(await look(1)).toBe('there')
  expect(await look(2)).toBe('gone')
})

test('an unanswered request is repeated, unless a second answer would have a further effect', async () => {
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using keepersBus = await newBus(server, 'admin')
  const received: string[] = []
  // The first request of each kind is left without an answer.
  keepersBus.nc.subscribe(keeperSubject(bus.name, '*'), {
    callback: (_error, message) => {
      const verb = message.subject.split('.').at(-1) ?? ''
      if (received.includes(verb)) message.respond(JSON.stringify({ answer: { lastSeq: 7 } }))
      received.push(verb)
    },
  })
  await keepersBus.nc.flush()
  expect(await requestKeeper(bus, 'state', {})).toEqual({ lastSeq: 7 })
  await expect(requestKeeper(bus, 'durable', { durable: 'all', subject: 'evt.>', anew: true })).rejects.toThrow(
    /TIMEOUT/,
  )
  expect(received).toEqual(['state', 'state', 'durable'])
})

test('the keeper shows how much of the stream is used', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await using keepersBus = await newBus(server, 'admin')
  await using _keeper = await keepStream(keepersBus, { maxBytes: 50_000_000 })
  await using relay = await startRelay({ ...database, bus, service: 'kept' })
  await store(relay, await commit(database, 'room1', [1]))
  await using _next = await keepStream(keepersBus, { maxBytes: 50_000_000 })
  await eventually(async () => {
    const text = await metricsText()
    expect(text).toMatch(/^parley_stream_messages [1-9]/m)
    expect(text).toMatch(/^parley_stream_size_bytes [1-9]/m)
    expect(text).toMatch(/^parley_stream_size_limit_bytes 50000000$/m)
    // It has no limit of messages.
    expect(text).not.toMatch(/^parley_stream_message_limit/m)
  })
})

test('services that ask for their lags at about the same time share one list', async () => {
  await using server = await newServer()
  await using bus = await newBus(server, 'admin')
  await declareStreams(bus)
  const { manager } = await jetStream(bus)
  for (const name of ['one-all', 'two-all'])
    await manager.consumers.add(eventStream, { durable_name: name, ack_policy: AckPolicy.Explicit })
  const list = jest.spyOn(manager.consumers, 'list')
  const [one, two] = await Promise.all([lagsOfDurables(bus, 'one-'), lagsOfDurables(bus, 'two-')])
  expect([one, two]).toEqual([{ 'one-all': 0 }, { 'two-all': 0 }])
  expect(list).toHaveBeenCalledTimes(1)
  expect(await lagsOfDurables(bus, 'three-')).toEqual({})
  await manager.consumers.add(eventStream, { durable_name: 'three-all', ack_policy: AckPolicy.Explicit })
  expect(await lagsOfDurables(bus, 'three-')).toEqual({ 'three-all': 0 })
})

test('a list of lags that failed is requested again', async () => {
  await using server = await newServer()
  await using bus = await newBus(server, 'admin')
  await declareStreams(bus)
  const { manager } = await jetStream(bus)
  jest.spyOn(manager.consumers, 'list').mockImplementationOnce(() => {
    throw new Error('not now')
  })
  await expect(lagsOfDurables(bus, 'one-')).rejects.toThrow('not now')
  expect(await lagsOfDurables(bus, 'one-')).toEqual({})
})
