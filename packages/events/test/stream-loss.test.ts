import { expect, test } from '@jest/globals'
import type { Event } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { consumeEvents, declareStreams, eventStream, followEvents, startRelay } from '../src/index.ts'
import { commit, firstOccurrences, readStream, waitUntilStored, oneTo, countWaiting } from './_events.ts'
import { newBus, newDatabase, newServer } from './_servers.ts'

test('after the stream was deleted, events are relayed again, and consumers handle each once', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'deleted' })
  const handled: string[] = []
  await using _consumer = await consumeEvents({
    db: database.db,
    bus,
    service: 'deleted',
    durable: 'all',
    subject: 'evt.>',
    on: async (event) => void handled.push(event.id),
  })
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(10)))
  await waitUntilStored(relay, await commit(database, 'room2', oneTo(10)))
  await eventually(() => expect(handled).toHaveLength(20))

  const manager = await bus.nc.jetstreamManager()
  await manager.streams.delete(eventStream)
  // The relay notices the loss when the stream does not accept the next event.
  await waitUntilStored(relay, await commit(database, 'room1', [11]))
  await eventually(async () => {
    const versionsByRoom = firstOccurrences(await readStream(bus))
    expect(versionsByRoom.get('room1')).toEqual(oneTo(11))
    expect(versionsByRoom.get('room2')).toEqual(oneTo(10))
  })
  await eventually(() => expect(handled).toHaveLength(21))
  expect(new Set(handled).size).toBe(21)
}, 300_000)

test('after the stream was deleted and recreated at once, events are relayed again', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'anew' })
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(5)))
  await waitUntilStored(relay, await commit(database, 'room1', [6], 'room_archived'))
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  const manager = await bus.nc.jetstreamManager()
  await manager.streams.delete(eventStream)
  await declareStreams(bus)
  await commit(database, 'room1', [7])
  await eventually(async () => expect(firstOccurrences(await readStream(bus)).get('room1')).toHaveLength(7))
}, 300_000)

test('after the stream was purged, events are relayed again although it remembers the message ids', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'empty' })
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(5)))
  const manager = await bus.nc.jetstreamManager()
  await manager.streams.purge(eventStream)
  await eventually(async () => expect(firstOccurrences(await readStream(bus)).get('room1')).toEqual(oneTo(5)))
}, 300_000)

test('newest events that the stream lost are relayed again and handled once, and followers are reset', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'cut' })
  const handled: string[] = []
  await using _consumer = await consumeEvents({
    db: database.db,
    bus,
    service: 'cut',
    durable: 'all',
    subject: 'evt.>',
    on: async (event) => void handled.push(event.id),
  })
  const followed: Event[] = []
  let resets = 0
  await using _follower = await followEvents({
    bus,
    subject: 'evt.>',
    onEvents: (events) => void followed.push(...events),
    onReset: () => {
      resets++
      followed.length = 0
    },
  })
  for (const version of oneTo(10)) await waitUntilStored(relay, await commit(database, 'room1', [version]))
  await eventually(() => expect(handled).toHaveLength(10))
  await server.stop()
  server.saveEvents()
  await server.start()
  await waitUntilStored(relay, await commit(database, 'room2', [1]))
  for (const version of oneTo(20).slice(1)) await waitUntilStored(relay, await commit(database, 'room2', [version]))
  await eventually(() => expect(new Set(handled).size).toBeGreaterThanOrEqual(30))
  await eventually(() => expect(followed.at(-1)?.aggregateId).toBe('room2'))
  expect(resets).toBe(0)

  await server.stop()
  server.restoreEvents()
  await server.start()
  for (const version of [21, 22, 23]) await commit(database, 'room2', [version])
  await eventually(() => expect(resets).toBeGreaterThan(0))
  await eventually(async () => {
    const versionsByRoom = firstOccurrences(await readStream(bus))
    expect(versionsByRoom.get('room1')).toEqual(oneTo(10))
    expect(versionsByRoom.get('room2')?.toSorted((a, b) => a - b)).toEqual(oneTo(23))
  })
  await eventually(() =>
    expect(handled.filter((id) => id.startsWith('E-room2-2'))).toEqual(
      expect.arrayContaining(['E-room2-21', 'E-room2-22', 'E-room2-23']),
    ),
  )
  expect(new Set(handled).size).toBe(handled.length)
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
}, 300_000)

test('after a restart without a loss, no event is relayed again', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using relay = await startRelay({ ...database, bus, service: 'same' })
  let resets = 0
  const followed: string[] = []
  await using _follower = await followEvents({
    bus,
    subject: 'evt.room.room1.>',
    onEvents: (events) => void followed.push(...events.map((event) => event.id)),
    onReset: () => void resets++,
  })
  await waitUntilStored(relay, await commit(database, 'room1', oneTo(5)))
  await server.stop()
  await server.start()
  await waitUntilStored(relay, await commit(database, 'room1', [6]))
  await eventually(() => expect(followed.at(-1)).toMatch(/^E-room1-6$/))
  const events = await readStream(bus)
  expect(events.map(({ id }) => id)).toEqual(oneTo(6).map((version) => `E-room1-${version}`))
  expect(resets).toBe(0)
}, 300_000)
