import { expect, test } from '@jest/globals'
import { eventually } from '@parley/tooling/eventually'
import {
  consumeEvents,
  declareStreams,
  eventStream,
  keepStream,
  readRecoveries,
  recoveriesIn,
  startRelay,
} from '../src/index.ts'
import { requestKeeper } from '../src/keep/requests.ts'
import { Cleanup } from '../src/outbox/cleanup.ts'
import { commit, firstOccurrences, readStream, countRelayed, waitUntilStored, oneTo, countWaiting } from './_events.ts'
import { newBus, newDatabase, newServer } from './_servers.ts'

const shards = Array.from({ length: 32 }, (_, shard) => shard)
const { signal } = new AbortController()

type TestDatabase = Awaited<ReturnType<typeof newDatabase>>

const ageEntries = (database: TestDatabase, hours: number) =>
  database.pool.query("update outbox set relayed_at = relayed_at - $1 * interval '1 hour'", [hours])

test('an entry is kept until every durable that consumes it has acknowledged it, and is relayed again after a loss', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'kept' })
  const cleanup = new Cleanup({ ...database, bus, service: 'kept', verifiedShards: () => Promise.resolve(shards) })
  await requestKeeper(bus, 'durable', { durable: 'behind', subject: 'evt.*.*.room_updated', anew: false }, 'kept')
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(5)))
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(9).slice(5), 'room_archived'))
  await eventually(async () => expect(await countWaiting(database)).toBe(0))

  await cleanup.run(signal)
  expect(await countRelayed(database)).toBe(9)
  await ageEntries(database, 5)
  await cleanup.run(signal)
  expect(await countRelayed(database)).toBe(5)

  const manager = await bus.nc.jetstreamManager()
  await manager.streams.purge(eventStream)
  const handled: string[] = []
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'kept', durable: 'behind', subject: 'evt.*.*.room_updated' },
    on: async ({ id }) => void handled.push(id),
  })
  await eventually(() => expect(handled).toHaveLength(5))
  expect(firstOccurrences(await readStream(bus)).get('room1')).toEqual(oneTo(5))

  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  await ageEntries(database, 5)
  await eventually(async () => {
    await cleanup.run(signal)
    expect(await countRelayed(database)).toBe(0)
  })
}, 300_000)

test('entries that left the stream before a durable received them are counted once as lost', async () => {
  await using database = await newDatabase()
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  let requests = 0
  let isAnswerLost = true
  await using _keeper = await keepStream(bus, {
    recoveries: {
      ...recoveriesIn(database.db),
      addLost: async (events, report) => {
        requests++
        await recoveriesIn(database.db).addLost(events, report)
        if (isAnswerLost) throw new Error('the answer is lost')
      },
    },
  })
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'late' })
  const cleanup = new Cleanup({ ...database, bus, service: 'late', verifiedShards: () => Promise.resolve(shards) })
  await requestKeeper(bus, 'durable', { durable: 'behind', subject: 'evt.>', anew: false }, 'late')
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(3)))
  const manager = await bus.nc.jetstreamManager()
  await waitUntilStored(relay, await commit(database, 'room2', [1]))
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  const { state } = await manager.streams.info(eventStream)
  await manager.streams.purge(eventStream, { seq: state.last_seq })
  await ageEntries(database, 5)

  await cleanup.run(signal)
  expect(await countRelayed(database)).toBe(1)
  await cleanup.run(signal)
  isAnswerLost = false
  await cleanup.run(signal)
  expect(requests).toBe(2)
  expect((await readRecoveries(database.db)).lostEvents).toBe(3n)
}, 300_000)

test('while no keeper answers, entries are kept as long as the stream keeps events, 72 hours', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'alone' })
  await waitUntilStored(relay, await commit(database, 'room1', [1]))
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  await server.stop()
  const cleanup = new Cleanup({ ...database, bus, service: 'alone', verifiedShards: () => Promise.resolve(shards) })
  await ageEntries(database, 71)
  await cleanup.run(signal)
  expect(await countRelayed(database)).toBe(1)
  await ageEntries(database, 2)
  await cleanup.run(signal)
  expect(await countRelayed(database)).toBe(0)
}, 300_000)
