import { expect, test } from '@jest/globals'
import { eventually } from '@parley/tooling/eventually'
import { declareStreams, startRelay } from '../src/index.ts'
import { commit, firstOccurrences, readStream, countRelayed, waitUntilStored, oneTo, countWaiting } from './_events.ts'
import { forkRelay } from './_processes.ts'
import { newBus, newDatabase, newServer } from './_servers.ts'

const rooms = oneTo(20).map((number) => `room${number}`)

test('when relays are killed while publishing, every event arrives, first occurrences in order', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  let writing = true
  const last = new Map(rooms.map((room) => [room, 0]))
  const write = async () => {
    for (let turn = 0; writing; turn++) {
      if (turn % 100 === 0) await eventually(async () => !writing || (await countWaiting(database)) < 300)
      const room = rooms[turn % rooms.length] ?? ''
      const version = (last.get(room) ?? 0) + 1
      last.set(room, version)
      await commit(database, room, [version])
    }
  }
  const writer = write()
  for (let round = 0; round < 3; round++) {
    const before = await countRelayed(database)
    const relays = await Promise.all(oneTo(2).map(() => forkRelay(database.url, server.url, 'crash')))
    await eventually(async () => (await countRelayed(database)) > before + 50)
    await Promise.all(relays.map((process) => process.kill()))
  }
  writing = false
  await writer
  await using _relay = await startRelay({ ...database, bus, service: 'crash' })
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  const versionsByRoom = firstOccurrences(await readStream(bus))
  for (const room of rooms) expect(versionsByRoom.get(room)).toEqual(oneTo(last.get(room) ?? 0))
}, 300_000)

test('a frozen relay loses its shards and, when it continues, does not disturb the order of their events', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await using frozen = await forkRelay(database.url, server.url, 'frozen')
  for (const room of rooms) await commit(database, room, [1])
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  frozen.freeze()
  for (const room of rooms) await commit(database, room, [2, 3])
  await using relay = await startRelay({ ...database, bus, service: 'frozen' })
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  frozen.thaw()
  for (const room of rooms) await waitUntilStored(relay, await commit(database, room, [4])).catch(() => undefined)
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  const versionsByRoom = firstOccurrences(await readStream(bus))
  for (const room of rooms) expect(versionsByRoom.get(room)).toEqual([1, 2, 3, 4])
}, 300_000)
