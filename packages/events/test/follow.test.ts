import { expect, test } from '@jest/globals'
import { NatsError, type Msg } from 'nats'
import type { Bus } from '@parley/rpc'
import type { Event } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { followControl, followEvents, startRelay } from '../src/index.ts'
import { commit, waitUntilStored, oneTo } from './_events.ts'
import { newBus, newDatabase, newServer, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

test('a follower receives later events in order, with their sequences', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'follow' })
  await waitUntilStored(relay, await commit(database, 'follow', oneTo(5)))
  const received: number[] = []
  let lastSeq = 0
  await using follower = await followEvents({
    bus,
    subject: 'evt.room.follow.>',
    onEvents: (events, { seq }) => {
      expect(seq).toBeGreaterThan(lastSeq)
      lastSeq = seq
      received.push(...events.map((event) => Number(event.version)))
    },
    onReset: () => undefined,
  })
  for (const version of oneTo(105).slice(5)) relay.wake(await commit(database, 'follow', [version]))
  await eventually(() => expect(received).toHaveLength(100))
  expect(received).toEqual(oneTo(105).slice(5))
  expect(follower.lastSeq()).toBe(lastSeq)
})

test('a follower with history begins with events stored shortly before the newest one', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'history' })
  await waitUntilStored(relay, await commit(database, 'history', [1]))
  const historyMs = 200
  const untilOld = performance.now() + historyMs + 100
  await eventually(() => expect(performance.now()).toBeGreaterThan(untilOld))
  for (const version of [2, 3, 4]) await waitUntilStored(relay, await commit(database, 'history', [version]))
  const received: { version: number; storedAtMs: number }[] = []
  const options = {
    ...{ bus, subject: 'evt.room.history.>', historyMs },
    onEvents: (events: Event[], { storedAtMs }: { storedAtMs: number }) =>
      void received.push(...events.map(({ version }) => ({ version: Number(version), storedAtMs }))),
    onReset: () => undefined,
  }
  await using follower = await followEvents(options)
  const versions = received.map(({ version }) => version)
  expect(versions).toEqual([2, 3, 4].slice(-versions.length))
  expect(versions).toContain(4)
  expect(received.every(({ storedAtMs }) => storedAtMs >= (follower.completeSinceMs ?? Infinity))).toBe(true)
  const newestMs = received.at(-1)?.storedAtMs ?? 0
  expect(follower.completeSinceMs).toBeCloseTo(newestMs - historyMs, -1)
  await waitUntilStored(relay, await commit(database, 'history', [5]))
  await eventually(() => expect(received.at(-1)?.version).toBe(5))
})

function replaceOnBus(replaced: Partial<Pick<Bus['nc'], 'request' | 'subscribe'>>): Bus {
  const nc = new Proxy(bus.nc, {
    get: (target, name) => {
      if (name === 'request' || name === 'subscribe') return replaced[name] ?? target[name].bind(target)
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  return Object.create(bus, { nc: { value: nc } }) as Bus
}

/** Stores five events of a room, then follows them with history; adds their versions to `received`. */
async function followFiveEvents(
  service: string,
  received: number[],
  { onSilence = () => undefined, ...replaced }: Parameters<typeof replaceOnBus>[0] & { onSilence?: () => void },
) {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service })
  for (const version of oneTo(5)) await waitUntilStored(relay, await commit(database, service, [version]))
  return await followEvents({
    ...{ bus: replaceOnBus(replaced), subject: `evt.room.${service}.>`, historyMs: 60_000, onSilence },
    onEvents: (events) => void received.push(...events.map(({ version }) => Number(version))),
    onReset: () => undefined,
  })
}

const isForReader = (subject: string) => subject.endsWith('.reader')

test('a follower receives the whole history, even if the answer to its request is late', async () => {
  const received: number[] = []
  let requests = 0
  let delivered = 0
  await using _follower = await followFiveEvents('late', received, {
    // Only two messages of the first reader arrive.
    subscribe: (subject, options) =>
      bus.nc.subscribe(subject, {
        ...options,
        callback: (error, message) => {
          if (requests > 0 || ++delivered <= 2) options?.callback?.(error, message)
        },
      }),
    request: async (subject, ...rest) => {
      const answer = await bus.nc.request(subject, ...rest)
      if (!isForReader(subject) || requests > 0) return answer
      await eventually(() => expect(received).toEqual([1, 2]))
      requests++
      throw new Error('too late')
    },
  })
  expect(requests).toBe(1)
  expect(received).toEqual(oneTo(5))
})

test('a follower whose reader breaks before its request is answered opens another reader at once', async () => {
  const received: number[] = []
  let isBroken = false
  let breakReader = () => {}
  let silences = 0
  await using _follower = await followFiveEvents('broken', received, {
    onSilence: () => void silences++,
    subscribe: (subject, options) => {
      breakReader = () => options?.callback?.(new NatsError('lost', 'TEST'), {} as Msg)
      return bus.nc.subscribe(subject, options)
    },
    request: async (subject, ...rest) => {
      if (isForReader(subject) && !isBroken) {
        isBroken = true
        breakReader()
      }
      return await bus.nc.request(subject, ...rest)
    },
  })
  expect(received).toEqual(oneTo(5))
  expect(silences).toBe(0)
})

test('with a keeper of an earlier release, a follower receives no history and reports none', async () => {
  const received: number[] = []
  await using follower = await followFiveEvents('earlier', received, {
    request: async (subject, data, options) => {
      if (!isForReader(subject)) return await bus.nc.request(subject, data, options)
      const { startMs: _, ...known } = JSON.parse(Buffer.from(data as Uint8Array).toString()) as Record<string, unknown>
      const answer = await bus.nc.request(subject, JSON.stringify(known), options)
      return Object.create(answer, { data: { value: Buffer.from(JSON.stringify({ answer: {} })) } }) as Msg
    },
  })
  expect(received).toEqual([])
  expect(follower.completeSinceMs).toBeUndefined()
})

test('on an empty stream, a follower with history is complete since the beginning', async () => {
  await using own = await newServer()
  await using ownBus = await newBus(own)
  await using follower = await followEvents({
    ...{ bus: ownBus, subject: 'evt.>', historyMs: 60_000 },
    onEvents: () => undefined,
    onReset: () => undefined,
  })
  expect(follower.completeSinceMs).toBe(0)
})

test('during a restart of the server, a follower misses no event and reports the silence', async () => {
  await using database = await newDatabase()
  await using own = await newServer()
  await using ownBus = await newBus(own)
  await using relay = await startRelay({ ...database, bus: ownBus, service: 'restart' })
  const received: number[] = []
  let resets = 0
  await using follower = await followEvents({
    bus: ownBus,
    subject: 'evt.>',
    onEvents: (events) => void received.push(...events.map((event) => Number(event.version))),
    onReset: () => void resets++,
  })
  await waitUntilStored(relay, await commit(database, 'restart', [1]))
  await own.stop()
  await commit(database, 'restart', [2])
  await eventually(() => expect(follower.healthyAgoMs()).toBeGreaterThan(1500))
  await own.start()
  await eventually(() => expect(new Set(received)).toEqual(new Set([1, 2])))
  await eventually(() => expect(follower.healthyAgoMs()).toBeLessThan(1500))
  expect(resets).toBe(0)
})

test('a follower whose callback throws is reset and continues', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'throws' })
  const received: number[] = []
  let resets = 0
  await using _follower = await followEvents({
    bus,
    subject: 'evt.room.throws.>',
    onEvents: (events) => {
      if (events.some((event) => event.version === 2n)) throw new Error('cannot')
      received.push(...events.map((event) => Number(event.version)))
    },
    onReset: () => void resets++,
  })
  for (const version of [1, 2, 3]) await waitUntilStored(relay, await commit(database, 'throws', [version]))
  await eventually(() => expect(received).toEqual([1, 3]))
  expect(resets).toBe(1)
})

test('the control feed contains only events that change permissions or end access', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'control' })
  const first: string[] = []
  const second: string[] = []
  await using feed = await followControl({
    bus,
    onEvent: (event) => void first.push(event.kind),
    onReset: () => undefined,
  })
  using _listening = feed.subscribe({ onEvent: (event) => void second.push(event.kind), onReset: () => undefined })
  await waitUntilStored(relay, await commit(database, 'control', [1], 'room_updated'))
  await waitUntilStored(relay, await commit(database, 'control', [2], 'roles_changed'))
  await waitUntilStored(relay, await commit(database, 'control', [3], 'credentials_ended'))
  await eventually(() => expect(second).toHaveLength(2))
  expect(first).toEqual(['roles_changed', 'credentials_ended'])
  expect(second).toEqual(first)
})
