import { expect, test } from '@jest/globals'
import type { ConsumerInfo } from 'nats'
import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { consumeEvents, declareStreams, eventStream, toOutboxRow, type ConsumerOptions } from '../src/index.ts'
import { encodeBatch } from '../src/stream/batches.ts'
import { oneTo, plainEvent } from './_events.ts'
import { newBus, newDatabase, newServer, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

/** A consumer of one room whose pause outlasts every test. It adds the versions of handled events to `handled`. */
const consumer = (room: string, db: ConsumerOptions['db'], handled: number[], own: { bus?: Bus } = {}) =>
  consumeEvents({
    bus,
    service: 'pauses',
    durable: room,
    subject: `evt.room.${room}.>`,
    db,
    batches: {
      pace: { maxAtOnce: 128, pauseMs: 3_600_000 },
      on: async (events: Event[]) => void handled.push(...events.map(({ version }) => Number(version))),
    },
    ...own,
  })

async function publish(room: string, versions: readonly number[], to = bus): Promise<void> {
  for (const version of versions) {
    const { subject, payload } = toOutboxRow(plainEvent(room, version))
    to.nc.publish(subject, encodeBatch([payload]))
  }
  await to.nc.flush()
}

async function infoOf(room: string): Promise<ConsumerInfo> {
  const manager = await bus.nc.jetstreamManager()
  return await manager.consumers.info(eventStream, `pauses-${room}`)
}

test('an event is handled at once; later ones stay on the stream during the pause', async () => {
  await using database = await newDatabase()
  const handled: number[] = []
  await using _consumer = await consumer('idle', database.db, handled)
  await eventually(async () => expect((await infoOf('idle')).num_waiting).toBe(1))
  await publish('idle', [1])
  await eventually(() => expect(handled).toEqual([1]))
  await eventually(async () => expect((await infoOf('idle')).num_waiting).toBe(0))
  await publish('idle', [2, 3, 4])
  await eventually(async () => expect((await infoOf('idle')).num_pending).toBe(3))
  expect((await infoOf('idle')).delivered.consumer_seq).toBe(1)
})

test('a backlog is handled without a pause', async () => {
  await using database = await newDatabase()
  await publish('backlog', oneTo(1000))
  const handled: number[] = []
  await using _consumer = await consumer('backlog', database.db, handled)
  await eventually(() => expect(handled).toHaveLength(1000))
  expect(handled).toEqual(oneTo(1000))
})

test('the pause of one process does not pause another process of the same consumer', async () => {
  await using database = await newDatabase()
  const handled: [number[], number[]] = [[], []]
  await using _one = await consumer('shared', database.db, handled[0])
  await using _two = await consumer('shared', database.db, handled[1])
  await eventually(async () => expect((await infoOf('shared')).num_waiting).toBe(2))
  await publish('shared', [1])
  await eventually(() => expect(handled.flat()).toEqual([1]))
  await eventually(async () => expect((await infoOf('shared')).num_waiting).toBe(1))
  await publish('shared', [2])
  await eventually(() => expect(handled.flat()).toHaveLength(2))
  expect(handled.map((versions) => versions.length)).toEqual([1, 1])
})

test('a lost connection ends the pause', async () => {
  await using database = await newDatabase()
  await using server = await newServer()
  await using own = await newBus(server)
  await declareStreams(own)
  const handled: number[] = []
  await using _consumer = await consumer('cut', database.db, handled, { bus: own })
  await publish('cut', [1], own)
  await eventually(() => expect(handled).toEqual([1]))
  await server.stop()
  await server.start()
  await eventually(() => own.connected())
  await publish('cut', [2], own)
  await eventually(() => expect(handled).toContain(2))
})
