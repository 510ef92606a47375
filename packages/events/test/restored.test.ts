import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { ErrorCode, NatsError, type JsMsg } from 'nats'
import { openDatabase, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import { declareDurable } from '../src/consume/durable.ts'
import { receiveAll } from '../src/consume/inbox.ts'
import { startAnewWhenRestored } from '../src/consume/restored.ts'
import { decodeBatch } from '../src/stream/decode.ts'
import { keeperSubject } from '../src/subjects.ts'
import { consumeEvents, eventStream, startRelay } from '../src/index.ts'
import { commit, store, upTo } from './_events.ts'
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
const own = 'message_edited'
const foreign = 'message_posted'

/** A durable for one of the kinds of a room, whose messages the test takes and acknowledges itself. */
class Durable {
  readonly room: string
  readonly name: string
  readonly #durable: { service: string; durable: string; subject: string }
  #version = 0

  constructor(room: string) {
    this.room = room
    this.name = `restored-${room}`
    this.#durable = { service: 'restored', durable: room, subject: `evt.room.${room}.${own}` }
  }

  declare = () => declareDurable(bus, this.#durable, this.#durable.subject)

  /** Publishes events of these kinds, each in a separate message. */
  async offer(...kinds: string[]): Promise<void> {
    for (const kind of kinds) await store(relay, await commit(database, this.room, [++this.#version], kind))
  }

  /** Takes this many messages and requests more, so that the server scans everything after them. */
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
    await database.db.transaction((tx) => receiveAll(tx, this.name, decodeBatch(message.data)))
    expect(await message.ackAck({ timeout: timeoutMs })).toBe(true)
  }

  /** Pulls the given number of messages and handles them all. */
  async handleNext(count: number): Promise<void> {
    for (const message of await this.take(count)) await this.handle(message)
  }

  info = async () => (await bus.nc.jetstreamManager()).consumers.info(eventStream, this.name)

  check = () => startAnewWhenRestored(database.db, bus, this.#durable)

  /** Makes the database older than the event that was handled last. */
  async forgetLast(): Promise<void> {
    const { rowCount } = await database.pool.query(
      `delete from inbox where ctid in (
        select ctid from inbox where consumer = $1 order by substring(event_id from '[0-9]+$')::int desc limit 1)`,
      [this.name],
    )
    expect(rowCount).toBe(1)
  }
}

async function startAgain(): Promise<void> {
  await server.stop()
  await server.start()
  await eventually(async () => (await bus.nc.jetstreamManager()).streams.info(eventStream))
}

const histories: [string, string, (durable: Durable) => Promise<void>][] = [
  [
    'whose own message came last',
    'last',
    async (durable) => {
      await durable.offer(foreign, foreign, own)
      await durable.handleNext(1)
    },
  ],
  [
    'that scanned messages for others before it acknowledged',
    'behind',
    async (durable) => {
      await durable.offer(foreign, own, foreign, own, foreign, foreign)
      await durable.handleNext(2)
      await durable.offer(foreign)
    },
  ],
  [
    'with a later message in progress',
    'hand',
    async (durable) => {
      await durable.offer(own, foreign, own, foreign, foreign, own)
      const [first, second] = await durable.take(3)
      for (const message of [first, second]) if (message) await durable.handle(message)
    },
  ],
  [
    'for which many messages wait',
    'waits',
    async (durable) => {
      await durable.offer(foreign, own, foreign, own, foreign)
      await durable.handleNext(2)
      for (const _ of upTo(5)) await durable.offer(own, foreign, foreign)
    },
  ],
  [
    'on a server that was stopped, and killed later',
    'killed',
    async (durable) => {
      await durable.offer(foreign, own, foreign, foreign)
      await durable.handleNext(1)
      // A killed server may forget its last acknowledgements; after an orderly shutdown it knows them.
      await startAgain()
      await durable.offer(foreign)
      process.kill(server.pid(), 'SIGKILL')
      await startAgain()
      await durable.offer(foreign)
    },
  ],
]

test.each(histories)('a durable %s continues while the database is current', async (_, room, live) => {
  const durable = new Durable(`new-${room}`)
  await durable.declare()
  await live(durable)
  const { created } = await durable.info()
  await durable.check()
  expect((await durable.info()).created).toBe(created)
})

test.each(histories)('a durable %s restarts when the database is older', async (_, room, live) => {
  const durable = new Durable(`old-${room}`)
  await durable.declare()
  await live(durable)
  await durable.forgetLast()
  const { created } = await durable.info()
  await durable.check()
  const anew = await durable.info()
  expect(anew.created).not.toBe(created)
  expect(anew.ack_floor.consumer_seq).toBe(0)
})

test('a missing durable is not a failure', async () => {
  const durable = new Durable('undeclared')
  await expect(durable.check()).resolves.toBeUndefined()
  await durable.declare()
  await durable.check()
  expect((await durable.info()).name).toBe(durable.name)
})

test('a durable without acknowledgements continues', async () => {
  const durable = new Durable('fresh')
  await durable.declare()
  await durable.offer(foreign, own)
  const { created } = await durable.info()
  await durable.check()
  await durable.take(1)
  await durable.check()
  expect((await durable.info()).created).toBe(created)
})

test('a consumer notices the older database after an outage, before the message that waited for it', async () => {
  await using outage = await outageProxy(database.url)
  await using reached = await openDatabase({ url: outage.url, pool: 4, name: 'consumer' })
  const room = new Durable('outage')
  const handled: number[] = []
  await using _consumer = await consumeEvents({
    ...{ db: reached.db, bus, service: 'restored', durable: room.room, subject: `evt.room.${room.room}.>` },
    on: (event) => Promise.resolve(void handled.push(Number(event.version))),
  })
  await room.offer(own, own)
  await eventually(async () => (await room.info()).ack_floor.consumer_seq === 2)
  await outage.stop()
  await room.offer(own)
  await eventually(async () => (await room.info()).num_redelivered > 0)
  await room.forgetLast()
  await outage.start()
  await eventually(() => handled.filter((version) => version === 2).length === 2)
  expect(handled.toSorted()).toEqual([1, 2, 2, 3])
})

// The clock of the relay goes back after these, so they come last.
test('a running consumer notices the older database before it handles the next event', async () => {
  const room = new Durable('running')
  const handled: number[] = []
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'restored', durable: room.room, subject: `evt.room.${room.room}.>` },
    on: (event) => {
      handled.push(Number(event.version))
      return Promise.resolve()
    },
  })
  await room.offer(own, own)
  await eventually(async () => (await room.info()).ack_floor.consumer_seq === 2)
  await room.forgetLast()
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  await room.offer(own)
  await eventually(() => handled.filter((version) => version === 2).length === 2)
  expect(handled.toSorted()).toEqual([1, 2, 2, 3])
})

test('a database that is away during the check is waited for, although it is back for the message', async () => {
  const room = new Durable('between')
  const handled: number[] = []
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'restored', durable: room.room, subject: `evt.room.${room.room}.>` },
    on: (event) => Promise.resolve(void handled.push(Number(event.version))),
  })
  await room.offer(own, own)
  await eventually(async () => (await room.info()).ack_floor.consumer_seq === 2)
  await room.forgetLast()
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  const away = jest.spyOn(database.db, 'select').mockImplementationOnce(() => {
    throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  })
  await room.offer(own)
  await eventually(() => handled.filter((version) => version === 2).length === 2)
  expect(away.mock.results[0]?.type).toBe('throw')
  expect(handled.toSorted()).toEqual([1, 2, 2, 3])
})

test('while nobody answers the check, it is tried once for many events', async () => {
  const room = new Durable('unanswered')
  let handled = 0
  await using _consumer = await consumeEvents({
    ...{ db: database.db, bus, service: 'restored', durable: room.room, subject: `evt.room.${room.room}.>` },
    on: () => Promise.resolve(void handled++),
  })
  await room.offer(own)
  await eventually(() => handled === 1)
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  const request = bus.nc.request.bind(bus.nc)
  let asked = 0
  jest.spyOn(bus.nc, 'request').mockImplementation((subject, ...others) => {
    if (subject !== keeperSubject('restored', 'acknowledged')) return request(subject, ...others)
    asked++
    return Promise.reject(NatsError.errorForCode(ErrorCode.Timeout))
  })
  await room.offer(...Array<string>(20).fill(own))
  await eventually(() => handled === 21)
  expect(asked).toBe(1)
})
