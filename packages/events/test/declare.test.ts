import { afterEach, expect, test } from '@jest/globals'
import { setLineSink } from '@parley/telemetry'
import { declareStreams, eventStream } from '../src/index.ts'
import { newBus, newServer } from './_servers.ts'

const HOUR_NS = 3_600_000_000_000
const GIB = 1024 ** 3

afterEach(() => setLineSink(undefined))

test('concurrent calls of declareStreams create one stream; a later call restores its settings, except the size limit', async () => {
  await using server = await newServer()
  await using bus = await newBus(server)
  await Promise.all([1, 2, 3].map(() => declareStreams(bus)))
  const { streams } = await bus.nc.jetstreamManager()
  const { config } = await streams.info(eventStream)
  expect(config).toMatchObject({
    subjects: ['evt.>'],
    storage: 'file',
    retention: 'limits',
    max_age: 72 * HOUR_NS,
    duplicate_window: HOUR_NS / 30,
    allow_direct: true,
    num_replicas: 1,
    // The store of this server, 4 GiB, is smaller than a stream's default size.
    max_bytes: 3 * 1024 ** 3,
  })
  await streams.update(eventStream, { ...config, max_age: HOUR_NS, max_bytes: 1_000_000_000 })
  await declareStreams(bus)
  expect((await streams.info(eventStream)).config).toEqual({ ...config, max_bytes: 1_000_000_000 })
})

test('a full stream accepts events and drops the oldest', async () => {
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  await declareStreams(bus, { maxBytes: 100_000 })
  const payload = new Uint8Array(10_000)
  for (let n = 0; n < 20; n++) await bus.nc.jetstream().publish('evt.room.R1.room_updated', payload)
  const { streams } = await bus.nc.jetstreamManager()
  const { state } = await streams.info(eventStream)
  expect(state.bytes).toBeLessThanOrEqual(100_000)
  expect([state.last_seq, state.first_seq > 1]).toEqual([20, true])
})

test('a size limit above the storage does not replace the present limit; a later one that fits does', async () => {
  await using server = await newServer({ keeper: false })
  await using bus = await newBus(server)
  const { streams } = await bus.nc.jetstreamManager()
  const limit = async () => (await streams.info(eventStream)).config.max_bytes
  await declareStreams(bus, { maxBytes: 3 * GIB })
  await bus.nc.jetstream().publish('evt.room.R1.room_updated', new Uint8Array(10))
  const warnings: string[] = []
  setLineSink((line) => warnings.push(line))
  // Half of 5 GiB would fit, but is below the present limit.
  await declareStreams(bus, { maxBytes: 5 * GIB })
  await declareStreams(bus, { maxBytes: 5 * GIB })
  expect(await limit()).toBe(3 * GIB)
  expect((await streams.info(eventStream)).state.messages).toBe(1)
  // Logged once, although the limit was refused twice.
  expect(warnings.filter((line) => line.includes('raise max_file_store'))).toHaveLength(1)
  await declareStreams(bus, { maxBytes: 3.5 * GIB })
  expect(await limit()).toBe(3.5 * GIB)
})
