import { expect, test } from '@jest/globals'
import { consumeEvents, declareStreams, eventStream, followEvents, keepStream, startRelay } from '../src/index.ts'
import { askKeeper } from '../src/keep/asks.ts'
import { verifyPlaces } from '../src/stream/place.ts'
import { commit, store } from './_events.ts'
import { eventually } from './_eventually.ts'
import { newBus, newDatabase, newServer } from './_servers.ts'

test('whoever starts waits for a keeper; what was started goes on without one, also when the server starts anew', async () => {
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
  // Its reader was gone with the server.
  await using _second = await keepStream(keepersBus)
  await eventually(() => expect(followed.at(-1)).toBe('E-room1-4'))
  expect(handled).toHaveLength(4)
}, 300_000)

test('a loss that is claimed makes durables anew once, and not as often as it is claimed', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await bus.nc.jetstream().publish('evt.room.R1.room_updated', 'something')
  const ask = (asker: string) => askKeeper(bus, 'durable', { durable: 'all', subject: 'evt.>', anew: false }, asker)
  await ask('one')
  const manager = await bus.nc.jetstreamManager()
  const created = async () => (await manager.consumers.info(eventStream, 'one-all')).created
  const seen = new Set([await created()])
  let refusal: unknown
  for (let claims = 0; claims < 12 && refusal === undefined; claims++) {
    await askKeeper(bus, 'restore', { seq: 1, eventId: 'never-there' }, 'liar').catch(
      (error: unknown) => (refusal = error),
    )
    seen.add(await created())
  }
  expect(refusal).toMatchObject({ message: expect.stringContaining('too often') })
  expect(seen.size).toBe(9)
  // Others may still ask.
  await askKeeper(bus, 'restore', { seq: 1, eventId: 'never-there' }, 'other')
  expect(seen).not.toContain(await created())
})

test('a durable is made for whoever asks, of one subject, and not without end', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  const make = (durable: string, subject = 'evt.>', asker = 'one') =>
    askKeeper(bus, 'durable', { durable, subject, anew: false }, asker)
  for (let n = 0; n < 64; n++) await make(`d${n}`)
  await expect(make('one-more')).rejects.toThrow('too many durables')
  await make('d1')
  await make('d1', 'evt.room.>', 'two')
  await expect(make('d1', 'evt.room.>')).rejects.toThrow('needs another name')
})

test('a place that may have left the stream by age is there while the stream reaches beyond it', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await declareStreams(bus)
  await bus.nc.jetstream().publish('evt.room.R1.room_updated', 'something')
  const place = (seq: number) => ({ seq, eventId: 'long-gone', storedAt: Date.now() - 72 * 3_600_000 })
  const look = (seq: number) => verifyPlaces(bus, { anchor: undefined, newest: place(seq) })
  expect(await look(1)).toBe('there')
  expect(await look(2)).toBe('gone')
})
