import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { ErrorCode, NatsError, type JsMsg } from 'nats'
import { openDatabase, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import { declareDurable } from '../src/consume/durable.ts'
import { recordAllHandled } from '../src/consume/inbox.ts'
import { recreateIfRestored } from '../src/consume/recreate-if-restored.ts'
import { decodeBatch } from '../src/stream/decode.ts'
import { keeperSubject } from '../src/subjects.ts'
import { consumeEvents, eventStream, startRelay } from '../src/index.ts'
import { commit, waitUntilStored, oneTo } from './_events.ts'
import { newDatabase, withStream, type TestServer } from './_servers.ts'

let server: TestServer
let bus: Bus
let database: Database & { url: string }
let relay: Awaited<ReturnType<typeof startRelay>>

withStream((stream) => ({ server, bus } = stream))
beforeAll(async () => {
  database = await newDatabase()
  relay = await startRelay({ ...database, bus, service: 'restored' })
})

afterAll(async () => {
  await relay[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

afterEach(() => void jest.restoreAllMocks())

const timeoutMs = 60_000
const ownKind = 'message_edited'
const otherKind = 'message_posted'

/** A durable for one kind of event of a room. The test pulls and acknowledges its messages itself. */
class Durable {
  readonly room: string
  readonly name: string
  readonly #durable: { service: string; durable: string; subject: string }
  #version = 0

  constructor(room: string) {
    this.room = room
    this.name = `restored-${room}`
    this.#durable = { service: 'restored', durable: room, subject: `evt.room.${room}.${ownKind}` }
  }

  declare = () => declareDurable(bus, this.#durable, this.#durable.subject)

  async publish(...kinds: string[]): Promise<void> {
    for (const kind of kinds) await waitUntilStored(relay, await commit(database, this.room, [++this.#version], kind))
  }

  /** Pulls this many messages. Requests one more, so that the server also scans the messages after them. */
  async take(count: number): Promise<JsMsg[]> {
    const consumer = await bus.nc.jetstream().consumers.get(eventStream, this.name)
    const taken: JsMsg[] = []
    await eventually(async () => {
      for await (const message of await consumer.fetch({ max_messages: count + 1, expires: 1000 })) taken.push(message)
      return taken.length >= count
    })
    return taken
  }

  async handle(message: JsMsg): Promise<void> {
    await database.db.transaction((tx) => recordAllHandled(tx, this.name, decodeBatch(message.data)))
    expect(await message.ackAck({ timeout: timeoutMs })).toBe(true)
  }

  async handleNext(count: number): Promise<void> {
    for (const message of await this.take(count)) await this.handle(message)
  }

  info = async () => (await bus.nc.jetstreamManager()).consumers.info(eventStream, this.name)

  check = () => recreateIfRestored(database.db, bus, this.#durable)

  async forgetLast(): Promise<void> {
    const { rowCount } = await database.pool.query(
      `delete from inbox where ctid in (
        select ctid from inbox where consumer = $1 order by substring(event_id from '[0-9]+$')::int desc limit 1)`,
      [this.name],
    )
    expect(rowCount).toBe(1)
  }
}

async function restartServer(): Promise<void> {
  await server.stop()
  await server.start()
  await eventually(async () => (await bus.nc.jetstreamManager()).streams.info(eventStream))
}

const histories: [string, string, (durable: Durable) => Promise<void>][] = [
  [
    'whose own message is the newest',
    'last',
    async (durable) => {
      await durable.publish(otherKind, otherKind, ownKind)
      await durable.handleNext(1)
    },
  ],
  [
    'with messages for others before and after its own',
    'behind',
    async (durable) => {
      await durable.publish(otherKind, ownKind, otherKind, ownKind, otherKind, otherKind)
      await durable.handleNext(2)
      await durable.publish(otherKind)
    },
  ],
  [
    'with an unacknowledged message',
    'hand',
    async (durable) => {
      await durable.publish(ownKind, otherKind, ownKind, otherKind, otherKind, ownKind)
      const [first, second] = await durable.take(3)
      for (const message of [first, second]) if (message) await durable.handle(message)
    },
  ],
  [
    'with many waiting messages',
    'waits',
    async (durable) => {
      await durable.publish(otherKind, ownKind, otherKind, ownKind, otherKind)
      await durable.handleNext(2)
      for (const _ of oneTo(5)) await durable.publish(ownKind, otherKind, otherKind)
    },
  ],
  [
    'on a server that was stopped and later killed',
    'killed',
    async (durable) => {
      await durable.publish(otherKind, ownKind, otherKind, otherKind)
      await durable.handleNext(1)
      // A killed server may forget its last acknowledgements; after an orderly shutdown it knows them.
      await restartServer()
      await durable.publish(otherKind)
      process.kill(server.pid(), 'SIGKILL')
      await restartServer()
      await durable.publish(otherKind)
    },
  ],
]

test.each(histories)('a durable %s is kept if the database is up to date', async (_, room, prepare) => {
  const durable = new Durable(`new-${room}`)
  await durable.declare()
  await prepare(durable)
  const { created } = await durable.info()
  await durable.check()
  expect((await durable.info()).created).toBe(created)
})

test.each(histories)(
  'a durable %s is recreated if the database was restored to an older state',
  async (_, room, prepare) => {
    const durable = new Durable(`old-${room}`)
    await durable.declare()
    await prepare(durable)
    await durable.forgetLast()
    const { created } = await durable.info()
    await durable.check()
    const anew = await durable.info()
    expect(anew.created).not.toBe(created)
    expect(anew.ack_floor.consumer_seq).toBe(0)
  },
)

test('the check of a missing durable does not fail', async () => {
  const durable = new Durable('undeclared')
  await expect(durable.check()).resolves.toBeUndefined()
  await durable.declare()
  await durable.check()
  expect((await durable.info()).name).toBe(durable.name)
})

test('a durable without acknowledgements is kept', async () => {
  const durable = new Durable('fresh')
  await durable.declare()
  await durable.publish(otherKind, ownKind)
  const { created } = await durable.info()
  await durable.check()
  await durable.take(1)
  await durable.check()
  expect((await durable.info()).created).toBe(created)
})

test('after an outage, a consumer notices a restore of the database and handles forgotten and waiting events', async () => {
  await using outage = await outageProxy(database.url)
  await using reached = await openDatabase({ url: outage.url, pool: 4, name: 'consumer' })
  const durable = new Durable('outage')
  const handled: number[] = []
  await using _consumer = await consumeEvents({
    ...{ db: reached.db, bus, service: 'restored', durable: durable.room, subject: `evt.room.${durable.room}.>` },
    on: (event) => Promise.resolve(void handled.push(Number(event.version))),
  })
  await durable.publish(ownKind, ownKind)
  await eventually(async () => (await durable.info()).ack_floor.consumer_seq === 2)
  await outage.stop()
  await durable.publish(ownKind)
  await eventually(async () => (await durable.info()).num_redelivered > 0)
  await durable.forgetLast()
  await outage.start()
  await eventually(() => handled.filter((version) => version === 2).length === 2)
  expect(handled.toSorted()).toEqual([1, 2, 2, 3])
})

// These tests move the clock of this process forward and, when they end, back. They come last, because the relay that
// all tests share has the same clock.
test('a running consumer notices with the next event that the database was restored', async () => {
  const durable = new Durable('running')
  const handled: number[] = []
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'restored', durable: durable.room, subject: `evt.room.${durable.room}.>` },
    on: (event) => {
      handled.push(Number(event.version))
      return Promise.resolve()
    },
  })
  await durable.publish(ownKind, ownKind)
  await eventually(async () => (await durable.info()).ack_floor.consumer_seq === 2)
  await durable.forgetLast()
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  await durable.publish(ownKind)
  await eventually(() => handled.filter((version) => version === 2).length === 2)
  expect(handled.toSorted()).toEqual([1, 2, 2, 3])
})

test('if the database is unavailable during a check, the check is repeated', async () => {
  const durable = new Durable('between')
  const handled: number[] = []
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'restored', durable: durable.room, subject: `evt.room.${durable.room}.>` },
    on: (event) => Promise.resolve(void handled.push(Number(event.version))),
  })
  await durable.publish(ownKind, ownKind)
  await eventually(async () => (await durable.info()).ack_floor.consumer_seq === 2)
  await durable.forgetLast()
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  const select = jest.spyOn(database.db, 'select').mockImplementationOnce(() => {
    throw Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' })
  })
  await durable.publish(ownKind)
  await eventually(() => handled.filter((version) => version === 2).length === 2)
  expect(select.mock.results[0]?.type).toBe('throw')
  expect(handled.toSorted()).toEqual([1, 2, 2, 3])
})

test('if the keeper does not answer a check, the check is not repeated for each event', async () => {
  const durable = new Durable('unanswered')
  let handled = 0
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'restored', durable: durable.room, subject: `evt.room.${durable.room}.>` },
    on: () => Promise.resolve(void handled++),
  })
  await durable.publish(ownKind)
  await eventually(() => handled === 1)
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  const request = bus.nc.request.bind(bus.nc)
  let checks = 0
  jest.spyOn(bus.nc, 'request').mockImplementation((subject, ...others) => {
    if (subject !== keeperSubject('restored', 'acknowledged')) return request(subject, ...others)
    checks++
    return Promise.reject(NatsError.errorForCode(ErrorCode.Timeout))
  })
  await durable.publish(...Array<string>(20).fill(ownKind))
  await eventually(() => handled === 21)
  expect(checks).toBe(1)
})
