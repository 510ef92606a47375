import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { toBinary } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { EventSchema } from '@parley/contracts/internal'
import { declareStreams, eventStream } from '@parley/events'
import { eventually, testEvent } from '@parley/testkit'
import { cookieSecret, receivedBy, openEnv, waitUntilReady, secretKey, settle, type Env } from './_env.ts'
import { groupsUpdated, everyoneDecision, posted, publish, roomFact } from './_events.ts'
import { Socket } from '@parley/testkit/realtime-socket'

let env: Env

beforeEach(async () => {
  env = await openEnv()
})

afterEach(async () => env[Symbol.asyncDispose]())

const joined = (userId: string) => ({ case: 'joined', value: { userId } }) as const
const created = { case: 'created', value: { universal: true } } as const

async function readiness(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`)
  return { status: response.status, body: await response.json() }
}

describe('a start', () => {
  test('waits for the bus and can be aborted', async () => {
    await env.nats.stop()
    const stop = new AbortController()
    const aborted = env.start({}, { stop: stop.signal })
    stop.abort(new Error('aborted'))
    await expect(aborted).rejects.toThrow('aborted')

    const starting = env.start()
    await env.nats.start()
    await waitUntilReady(await starting)
  })

  test('accepts no sockets before the policy is loaded', async () => {
    const release = env.hold('admin')
    const node = await env.start()
    await eventually(() => env.requests.admin > 0)
    await publish(env.bus, roomFact('Rearly', [1, 1], created, { universal: true }))
    await publish(env.bus, everyoneDecision(2, 'room.join', 'Rdenied', PermissionDecision.DENY))
    await publish(env.bus, roomFact('Rdenied', [1, 1], created, { universal: true }))
    expect(await readiness(node.internalPort)).toMatchObject({ status: 503 })
    await expect(Socket.open(node.url)).rejects.toThrow('503')
    env.policy.revision = 2n
    env.policy.decisions.push(
      ...structuredClone(env.policy.decisions)
        .slice(0, 1)
        .map((decision) => ({
          ...decision,
          roleId: 'everyone',
          permission: 'room.join',
          scope: { $typeName: 'svc.admin.v1.PermissionScope' as const, kind: PermissionScopeKind.ROOM, id: 'Rdenied' },
          decision: PermissionDecision.DENY,
        })),
    )
    release()
    await waitUntilReady(node)
    const socket = await env.socketOf(node, 'Uanna')
    const message = posted('Rearly', 2)
    await publish(env.bus, message)
    await publish(env.bus, posted('Rdenied', 2))
    await settle(env, { Uanna: [socket] })
    expect(receivedBy(socket)).toEqual([message.id])
  })

  test('fails if the port is in use', async () => {
    const node = await env.start()
    const port = new URL(node.url).port
    await expect(env.start({ PARLEY_REALTIME_PORT: port })).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`)
  })
})

describe('an outage of the bus', () => {
  test('keeps sockets open and refuses hellos', async () => {
    const node = await env.start()
    await waitUntilReady(node)
    const socket = await env.socketOf(node, 'Uanna')
    await publish(env.bus, roomFact('R1', [1, 1], joined('Uanna')))
    await settle(env, { Uanna: [socket] })
    await env.nats.stop()
    const refused = await Socket.open(node.url)
    refused.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: env.signIn('Ubert') } })
    expect(await refused.first('error')).toMatchObject({ code: 'temporarily_unavailable' })
    await env.nats.start()
    const message = posted('R1', 2)
    await eventually(() => publish(env.bus, message).then(() => true))
    await socket.waitForEvent(message.id)
    await eventually(async () => (await env.socketOf(node, 'Ubert')).isClosed === false)
  })

  test('that loses the stream closes sockets; sockets opened later receive events again', async () => {
    const node = await env.start()
    await waitUntilReady(node)
    const socket = await env.socketOf(node, 'Uanna')
    await publish(env.bus, posted('R1', 1))
    await settle(env, { Uanna: [socket] })
    const jsm = await env.bus.nc.jetstreamManager()
    await jsm.streams.delete(eventStream)
    await declareStreams(env.bus)
    expect(await socket.waitUntilClosed()).toEqual({ code: 1012, reason: 'stream_closed' })
    expect(await socket.first('close')).toMatchObject({ code: 'stream_closed', reconnect: true })
    // Sequences start again, but events must not be mistaken for duplicates.
    const again = await eventually(async () => {
      const next = await env.socketOf(node, 'Uanna')
      await publish(
        env.bus,
        roomFact('R1', [1, 1], joined('Uanna')),
        roomFact('R1', [2, 2], { case: 'left', value: { userId: 'U2' } }),
      )
      await settle(env, { Uanna: [next] })
      return next
    })
    expect(receivedBy(again).length).toBeGreaterThan(0)
  })

  test('that loses the stream: republished events change access, but are not sent', async () => {
    const node = await env.start()
    await waitUntilReady(node)
    const before = await env.socketOf(node, 'Uanna')
    await publish(env.bus, posted('R1', 1))
    await settle(env, { Uanna: [before] })
    const earlier = [roomFact('R1', [2, 1], joined('Uanna')), posted('R1', 3)]
    const jsm = await env.bus.nc.jetstreamManager()
    await jsm.streams.delete(eventStream)
    await declareStreams(env.bus)
    await before.waitUntilClosed()
    const socket = await env.socketOf(node, 'Uanna')
    await publish(env.bus, ...earlier)
    const news = posted('R1', 4)
    await publish(env.bus, news)
    await settle(env, { Uanna: [socket] })
    expect(receivedBy(socket)).toEqual([news.id])
  })
})

test('an undecodable event makes sockets reconnect', async () => {
  const node = await env.start()
  await waitUntilReady(node)
  const socket = await env.socketOf(node, 'Uanna')
  const event = testEvent({ ...roomFact('R1', [1, 1], joined('Uanna')), fact: { case: undefined } })
  const fact = Uint8Array.of(0xa2, 0x01, 0x02, 0x08, 0xff) // field 20, whose message ends within a number
  const bytes = Buffer.concat([toBinary(EventSchema, event), fact])
  // A batch contains its events, each after tag and length.
  const batch = Buffer.concat([Uint8Array.of(0x0a, (bytes.length & 0x7f) | 0x80, bytes.length >> 7), bytes])
  await env.bus.nc.jetstream().publish('evt.room.R1.user_joined_room', batch)
  expect(await socket.waitUntilClosed()).toEqual({ code: 1012, reason: 'stream_closed' })
  const again = await env.socketOf(node, 'Uanna')
  await settle(env, { Uanna: [again] })
})

test('after a policy delta without its predecessor, the policy is loaded, and clients whose rooms change must reconnect', async () => {
  const node = await env.start()
  await waitUntilReady(node)
  await publish(env.bus, roomFact('Ropen', [1, 1], created, { universal: true }))
  const before = await env.socketOf(node, 'Uanna')
  await settle(env, { Uanna: [before] })
  const loads = env.requests.admin
  env.policy.revision = 9n
  env.policy.decisions.length = 0
  await publish(env.bus, everyoneDecision(9, 'message.post', 'Rother', PermissionDecision.DENY))
  expect(await before.waitUntilClosed()).toEqual({ code: 1012, reason: 'stream_closed' })
  expect(env.requests.admin).toBeGreaterThan(loads)
  const after = await env.socketOf(node, 'Uanna')
  const message = posted('Ropen', Date.now())
  await publish(env.bus, message)
  await settle(env, { Uanna: [after] })
  expect(receivedBy(after)).not.toContain(message.id)
})

describe('a socket that does not read', () => {
  /** Publishes messages of this total size, from the place `from` on; returns the next place. */
  const flood = async (bytes: number, from: number) => {
    const size = 20_000
    for (let n = 0; n < bytes / size; n++) await publish(env.bus, posted('R1', from + n, size))
    return from + bytes / size
  }
  const expectSockets = async (internalPort: number, count: number) => {
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
    expect(metrics).toMatch(new RegExp(`^parley_realtime_sockets(\\{[^}]*\\})? ${count}$`, 'm'))
  }

  test('is closed, and the others continue', async () => {
    const node = await env.start({ PARLEY_REALTIME_MAX_BACKPRESSURE: '1000000' })
    await waitUntilReady(node)
    env.standings.set('Uslow', [{ roomId: 'R1', member: true, version: 1 }])
    env.standings.set('Uquick', [{ roomId: 'R1', member: true, version: 1 }])
    const slow = await env.socketOf(node, 'Uslow')
    const quick = await env.socketOf(node, 'Uquick')
    slow.pause()
    let seq = 1
    await eventually(async () => {
      // In parts, so that fast readers stay below the limit even if the machine stalls.
      for (let part = 0; part < 4; part++) {
        seq = await flood(500_000, seq)
        await settle(env, { Uquick: [quick] })
      }
      await expectSockets(node.internalPort, 1)
    })
    expect(quick.events.filter(({ event }) => event.case === 'messagePosted').length).toBeGreaterThan(100)
    slow.resume()
    await slow.waitUntilClosed()
    expect(quick.isClosed).toBe(false)
  })

  test('has received events without gaps until it was closed', async () => {
    const node = await env.start({ PARLEY_REALTIME_MAX_BACKPRESSURE: '65536' })
    await waitUntilReady(node)
    env.standings.set('Uslow', [{ roomId: 'R1', member: true, version: 1 }])
    const slow = await env.socketOf(node, 'Uslow')
    const witness = await env.socketOf(node, 'Uwitness')
    const messages = Array.from({ length: 600 }, (_, n) => posted('R1', n + 1, 40_000))
    slow.pause()
    for (let n = 0; n < messages.length; n += 100)
      await Promise.all(messages.slice(n, n + 100).map((message) => publish(env.bus, message)))
    await settle(env, { Uwitness: [witness] })
    // The socket reads again before the node looks for slow readers.
    slow.resume()
    await slow.waitUntilClosed()
    const received = receivedBy(slow)
    expect(received).toEqual(messages.slice(0, received.length).map(({ id }) => id))
  })

  test('receives the reason why it was closed when it reads again', async () => {
    const node = await env.start({ PARLEY_REALTIME_MAX_BACKPRESSURE: '50000000' })
    await waitUntilReady(node)
    env.standings.set('Uslow', [{ roomId: 'R1', member: true, version: 1 }])
    const slow = await env.socketOf(node, 'Uslow')
    slow.pause()
    await flood(40_000_000, 1)
    await eventually(() => expectSockets(node.internalPort, 0))
    slow.resume()
    expect(await slow.first('close')).toMatchObject({ code: 'slow_consumer', reconnect: true })
    expect(await slow.waitUntilClosed()).toEqual({ code: 1013, reason: 'slow_consumer' })
  })
})

describe('a node', () => {
  test('refuses hellos above its limit, and tells clients when to retry', async () => {
    const node = await env.start({ PARLEY_REALTIME_HELLOS_PER_SECOND: '1' })
    await waitUntilReady(node)
    const hello = { case: 'hello', value: { protocolVersion: 1, bearerToken: env.signIn('Uanna') } } as const
    const sockets = await Promise.all(Array.from({ length: 10 }, () => Socket.open(node.url)))
    for (const socket of sockets) socket.send(hello)
    await eventually(() => sockets.every(({ frames }) => frames.length > 0))
    const first = sockets.map(({ frames }) => frames[0])
    expect(first.filter((frame) => frame?.case === 'hello').length).toBeGreaterThanOrEqual(2)
    const refused = sockets.filter((_, i) => first[i]?.case === 'close')
    expect(refused.length).toBeGreaterThan(0)
    for (const socket of refused) {
      expect(await socket.waitUntilClosed()).toEqual({ code: 1013, reason: 'overloaded' })
      const close = await socket.first('close')
      expect(close).toMatchObject({ code: 'overloaded', reconnect: true })
      expect(close.retryAfterMs).toBeGreaterThanOrEqual(1_000)
    }
    for (const socket of sockets) socket.close()
  })

  test('admits a credential that it has admitted before, even if unknown ones have used up the limit', async () => {
    const node = await env.start({ PARLEY_REALTIME_HELLOS_PER_SECOND: '1' })
    await waitUntilReady(node)
    const token = env.signIn('Uanna')
    const before = await Socket.subscribe(node.url, token)
    before.close()
    const unknown = await Promise.all(Array.from({ length: 10 }, () => Socket.open(node.url)))
    for (const [n, socket] of unknown.entries())
      socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: `prl_ATunknown${n}` } })
    await Promise.all(unknown.map((socket) => socket.waitUntilClosed()))
    expect(unknown.some((socket) => socket.kinds.includes('close'))).toBe(true)
    const again = await Socket.subscribe(node.url, token)
    again.close()
  })

  test('makes old sockets reconnect', async () => {
    const node = await env.start({ PARLEY_REALTIME_MAX_SOCKET_AGE: '500ms' })
    await waitUntilReady(node)
    const sockets = await Promise.all(Array.from({ length: 20 }, (_, n) => env.socketOf(node, `U${n}`)))
    for (const socket of sockets) {
      expect(await socket.waitUntilClosed()).toEqual({ code: 1012, reason: 'rebalance' })
      expect(await socket.first('close')).toMatchObject({ code: 'rebalance', reconnect: true })
    }
  })
})

describe('a stopping node', () => {
  test('closes its sockets at different times, and accepts none', async () => {
    const node = await env.start({ PARLEY_REALTIME_DRAIN_WINDOW: '1s' })
    await waitUntilReady(node)
    const sockets = await Promise.all(Array.from({ length: 20 }, (_, n) => env.socketOf(node, `U${n}`)))
    const silent = await Socket.open(node.url)
    const ending = node[Symbol.asyncDispose]()
    expect(await readiness(node.internalPort)).toEqual({
      status: 503,
      body: { status: 'not ready', reasons: ['draining'] },
    })
    await expect(Socket.open(node.url)).rejects.toThrow()
    await eventually(() => sockets.some(({ isClosed }) => isClosed))
    expect(sockets.every(({ isClosed }) => isClosed)).toBe(false)
    for (const socket of [silent, ...sockets]) {
      expect(await socket.waitUntilClosed()).toEqual({ code: 1012, reason: 'draining' })
      const close = await socket.first('close')
      expect(close).toMatchObject({ code: 'draining', reconnect: true })
      expect(close.retryAfterMs).toBeGreaterThanOrEqual(1_000)
      expect(close.retryAfterMs).toBeLessThanOrEqual(5_000)
    }
    const delays = await Promise.all(sockets.map(async (socket) => (await socket.first('close')).retryAfterMs))
    expect(new Set(delays).size).toBeGreaterThan(1)
    await ending
    expect(node.drainTimeoutMs).toBe(15_000)
  })

  test('loads the policy after a missing delta', async () => {
    const stop = new AbortController()
    const node = await env.start({ PARLEY_REALTIME_DRAIN_WINDOW: '60s' }, { stop: stop.signal })
    await waitUntilReady(node)
    const sockets = await Promise.all(Array.from({ length: 20 }, (_, n) => env.socketOf(node, `U${n}`)))
    stop.abort()
    const ending = node[Symbol.asyncDispose]()
    const before = env.requests.admin
    env.policy.revision = 9n
    await publish(env.bus, everyoneDecision(9, 'room.join', 'Rother', PermissionDecision.DENY))
    await eventually(() => env.requests.admin > before)
    for (const socket of sockets) socket.close()
    await ending
  })

  test('lets its process exit without errors', async () => {
    const child = fork(fileURLToPath(new URL('programs/node.ts', import.meta.url)), {
      execArgv: ['--import', import.meta.resolve('@parley/tooling/run-bundled')],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PARLEY_NATS_URL: env.nats.url,
        PARLEY_CORE_SECRET_KEY: secretKey,
        PARLEY_WEBSERVER_URL: 'http://chat.example.org',
        PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: cookieSecret,
        PARLEY_REALTIME_PORT: '0',
        PARLEY_REALTIME_DRAIN_WINDOW: '200ms',
      },
    })
    let stderr = ''
    child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()))
    const [up] = (await once(child, 'message')) as [{ url: string; internalPort: number }]
    await eventually(async () => expect((await readiness(up.internalPort)).status).toBe(200))
    const reading = await Socket.subscribe(up.url, env.signIn('Uanna'))
    const silent = await Socket.subscribe(up.url, env.signIn('Ubert'))
    for (let n = 1; n <= 50; n++) await publish(env.bus, groupsUpdated(n))
    await settle(env, { Uanna: [reading] })
    silent.pause()
    await Socket.open(up.url)
    child.kill('SIGTERM')
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
    expect(await reading.waitUntilClosed()).toEqual({ code: 1012, reason: 'draining' })
    silent.close()
  })
})
