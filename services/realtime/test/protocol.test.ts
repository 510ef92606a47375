import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { serverVersion } from '@parley/telemetry'
import { eventually } from '@parley/testkit'
import { cookieOf, useEnv, waitUntilReady, secretKey, type Node } from './_env.ts'
import { encodeFrame, Socket } from '@parley/testkit/realtime-socket'

const env = useEnv()
let node: Node

beforeAll(async () => {
  node = await env.start({
    PARLEY_REALTIME_HEARTBEAT_INTERVAL: '300ms',
    PARLEY_WEBSERVER_ALLOWED_ORIGINS: '*, https://app.example.org',
  })
  await waitUntilReady(node)
})

afterEach(() => env.unavailable.clear())

const hello = (bearerToken: string, protocolVersion = 1) =>
  encodeFrame({ case: 'hello', value: { protocolVersion, bearerToken } })
const subscribe = encodeFrame({ case: 'subscribeEvents', value: {} })
const ping = (nonce: string) => encodeFrame({ case: 'ping', value: { nonce } })
const garbage = Uint8Array.of(0xff, 0xff, 0xff, 0xff)

describe('a socket', () => {
  test('begins with hello and subscribed, and has heartbeats and pongs', async () => {
    const socket = await Socket.openWithHello(node.url, env.signIn('Uanna'))
    expect(await socket.first('hello')).toMatchObject({
      protocolVersion: 1,
      serverVersion,
      heartbeatIntervalSeconds: 0,
      capabilities: [
        'svc.realtime.events.live.v1',
        'svc.realtime.heartbeat.v1',
        'svc.realtime.ping.v1',
        'svc.realtime.resume.v1',
      ],
    })
    socket.sendRaw(subscribe)
    const subscribed = await socket.first('subscribed')
    expect(subscribed).toMatchObject({ reset: false, position: expect.stringMatching(/./) })
    socket.sendRaw(ping('nonce 1'))
    expect(await socket.first('pong')).toMatchObject({ nonce: 'nonce 1' })
    const heartbeat = await socket.first('heartbeat')
    expect(heartbeat.id).toMatch(/^E/)
    expect(heartbeat.createdAt).toBeDefined()
    await eventually(() => expect(socket.kinds.filter((kind) => kind === 'heartbeat').length).toBeGreaterThan(2))
    expect(socket.kinds.slice(0, 2)).toEqual(['hello', 'subscribed'])
    socket.close()
  })

  test('accepts frames sent without waiting for responses, which arrive in order', async () => {
    const socket = await Socket.open(node.url)
    socket.sendRaw(hello(env.signIn('Uanna')))
    socket.sendRaw(subscribe)
    socket.sendRaw(ping('early'))
    expect(await socket.first('pong')).toMatchObject({ nonce: 'early' })
    expect(socket.kinds.filter((kind) => kind !== 'heartbeat')).toEqual(['hello', 'subscribed', 'pong'])
    socket.close()
  })

  test('is reset if the position is unknown', async () => {
    const socket = await Socket.openWithHello(node.url, env.signIn('Uanna'))
    socket.send({ case: 'subscribeEvents', value: { resumePosition: '12.ab' } })
    expect(await socket.first('subscribed')).toMatchObject({ reset: true })
    socket.close()
  })

  test('accepts a hello without a version', async () => {
    const socket = await Socket.open(node.url)
    socket.sendRaw(hello(env.signIn('Uanna'), 0))
    expect(await socket.first('hello')).toMatchObject({ protocolVersion: 1 })
    socket.close()
  })

  test('accepts frames of at most 64 KiB', async () => {
    const socket = await env.socketOf(node, 'Uanna')
    const long = (length: number) => ping('x'.repeat(length))
    const overhead = long(60_000).length - 60_000
    socket.sendRaw(long(65_536 - overhead))
    await socket.first('pong')
    socket.sendRaw(long(65_537 - overhead))
    expect(await socket.first('error')).toMatchObject({ code: 'bad_frame', fatal: true })
    expect(await socket.waitUntilClosed()).toMatchObject({ code: 1009 })
  })
})

describe('a client that exceeds its budget', () => {
  const token = () => env.signIn('Uanna')

  test.each<[string, number, (socket: Socket) => void]>([
    ['pings', 2_000, (socket) => socket.sendRaw(ping('x'))],
    ['bytes', 200, (socket) => socket.sendRaw(ping('x'.repeat(50_000)))],
    ['pings of the WebSocket', 2_000, (socket) => socket.pingRaw()],
    ['pongs of the WebSocket', 2_000, (socket) => socket.pongRaw()],
  ])('by %s gets an error and is disconnected', async (_, count, act) => {
    const socket = await Socket.subscribe(node.url, token())
    for (let sent = 0; sent < count; sent++) act(socket)
    const message = 'more than 20 frames or 256 KiB a second were sent'
    expect(await socket.first('error')).toMatchObject({ code: 'bad_frame', fatal: true, message })
    expect(await socket.waitUntilClosed()).toEqual({ code: 1002, reason: 'bad_frame' })
    expect(socket.kinds.filter((kind) => kind === 'pong').length).toBeLessThan(count / 2)
  })

  test('by frames before hello is answered gets an error', async () => {
    const socket = await Socket.open(node.url)
    socket.sendRaw(hello(token()))
    for (let sent = 0; sent < 100; sent++) socket.pingRaw()
    expect(await socket.first('error')).toMatchObject({ code: 'bad_frame' })
  })
})

describe('a client that violates the protocol is disconnected', () => {
  const token = () => env.signIn('Uanna')

  test.each<[string, (socket: Socket) => void, string, number]>([
    ['text', (socket) => socket.sendRaw('hello'), 'bad_hello', 1002],
    ['garbage', (socket) => socket.sendRaw(garbage), 'bad_hello', 1002],
    ['an empty frame', (socket) => socket.sendRaw(new Uint8Array()), 'bad_hello', 1002],
    ['a frame above 64 KiB', (socket) => socket.sendRaw(new Uint8Array(65_537)), 'bad_hello', 1009],
    ['subscribe_events', (socket) => socket.sendRaw(subscribe), 'bad_hello', 1002],
    ['ping', (socket) => socket.sendRaw(ping('x')), 'bad_hello', 1002],
    ['a later version', (socket) => socket.sendRaw(hello(token(), 2)), 'unsupported_protocol', 1002],
    ['an invalid token', (socket) => socket.sendRaw(hello('prl_ATnothing')), 'authentication_required', 1008],
    ['an empty token', (socket) => socket.sendRaw(hello('')), 'authentication_required', 1008],
    [
      'no credential',
      (socket) => socket.send({ case: 'hello', value: { protocolVersion: 1 } }),
      'authentication_required',
      1008,
    ],
  ])('first frame: %s', async (_, act, code, closeCode) => {
    const socket = await Socket.open(node.url)
    act(socket)
    expect(await socket.first('error')).toMatchObject({ code, fatal: true, message: expect.stringMatching(/./) })
    expect(await socket.waitUntilClosed()).toEqual({ code: closeCode, reason: code })
    expect(socket.kinds).toEqual(['error'])
  })

  test.each<[string, (socket: Socket) => void, number]>([
    ['hello again', (socket) => socket.sendRaw(hello(token())), 1002],
    ['ping', (socket) => socket.sendRaw(ping('x')), 1002],
    ['text', (socket) => socket.sendRaw('subscribe'), 1002],
    ['garbage', (socket) => socket.sendRaw(garbage), 1002],
    ['a frame above 64 KiB', (socket) => socket.sendRaw(new Uint8Array(65_537)), 1009],
  ])('second frame: %s', async (_, act, closeCode) => {
    const socket = await Socket.openWithHello(node.url, token())
    act(socket)
    expect(await socket.first('error')).toMatchObject({ code: 'bad_subscribe', fatal: true })
    expect(await socket.waitUntilClosed()).toEqual({ code: closeCode, reason: 'bad_subscribe' })
  })

  test('no frame in time', async () => {
    const impatient = await env.start({ PARLEY_REALTIME_HANDSHAKE_TIMEOUT: '1s' })
    await waitUntilReady(impatient)
    const silent = await Socket.open(impatient.url)
    const error = { code: 'bad_hello', fatal: true, message: expect.stringMatching(/./) }
    expect(await silent.first('error')).toMatchObject(error)
    expect(await silent.waitUntilClosed()).toEqual({ code: 1002, reason: 'bad_hello' })
    expect(silent.kinds).toEqual(['error'])
    // On a slow machine the response to hello may take long.
    const greeted = await eventually(() => Socket.openWithHello(impatient.url, token()))
    expect(await greeted.first('error')).toMatchObject({ code: 'bad_subscribe', fatal: true })
    expect(await greeted.waitUntilClosed()).toEqual({ code: 1002, reason: 'bad_subscribe' })
    await impatient[Symbol.asyncDispose]()
  })

  test.each<[string, (socket: Socket) => void, number]>([
    ['hello', (socket) => socket.sendRaw(hello(token())), 1002],
    ['subscribe_events again', (socket) => socket.sendRaw(subscribe), 1002],
    ['text', (socket) => socket.sendRaw('ping'), 1002],
    ['garbage', (socket) => socket.sendRaw(garbage), 1002],
  ])('later frame: %s', async (_, act, closeCode) => {
    const socket = await env.socketOf(node, 'Uanna')
    act(socket)
    expect(await socket.first('error')).toMatchObject({ code: 'bad_frame', fatal: true })
    expect(await socket.waitUntilClosed()).toEqual({ code: closeCode, reason: 'bad_frame' })
  })

  test('a frame out of order, sent before hello is answered', async () => {
    for (const [second, third, code] of [
      [ping('x'), undefined, 'bad_subscribe'],
      [subscribe, subscribe, 'bad_frame'],
    ] as const) {
      const release = env.hold('accounts')
      const socket = await Socket.open(node.url)
      socket.sendRaw(hello(token()))
      socket.sendRaw(second)
      if (third) socket.sendRaw(third)
      expect(await socket.first('error')).toMatchObject({ code })
      await socket.waitUntilClosed()
      release()
    }
  })

  test('a flood of pings before `subscribed`', async () => {
    const release = env.hold('rooms')
    const socket = await Socket.open(node.url)
    socket.sendRaw(hello(token()))
    socket.sendRaw(subscribe)
    for (let n = 0; n < 100; n++) socket.sendRaw(ping('x'))
    expect(await socket.first('error')).toMatchObject({ code: 'bad_frame' })
    await socket.waitUntilClosed()
    release()
  })
})

test('a frame of megabytes closes its socket without an error frame', async () => {
  const [socket, other] = [await env.socketOf(node, 'Uanna'), await env.socketOf(node, 'Uanna')]
  socket.sendRaw(new Uint8Array(4 * 1024 * 1024))
  await socket.waitUntilClosed()
  expect(socket.kinds).not.toContain('error')
  other.sendRaw(ping('x'))
  await other.first('pong')
  other.close()
})

describe('credentials of a socket', () => {
  const opens = async (headers: Record<string, string>, bearerToken?: string, { url } = node) => {
    const socket = await Socket.open(url, headers)
    socket.send({ case: 'hello', value: { protocolVersion: 1, ...(bearerToken !== undefined && { bearerToken }) } })
    const answer = await eventually(() => {
      const [frame] = socket.frames
      if (!frame) throw new Error('no answer')
      return frame.case === 'error' ? frame.value.code : frame.case
    })
    socket.close()
    return answer
  }
  const cookie = () => {
    const handle = 'aHandle0123456789'
    const [anySession] = [...env.sessions.values()]
    if (anySession) env.sessions.set(credentialDigest(secretKey, handle).toString('hex'), anySession)
    return cookieOf(handle)
  }
  const authorization = (token: string) => ({ authorization: `Bearer ${token}` })

  test('may be in the Authorization header or the session cookie', async () => {
    expect(await opens(authorization(env.signIn('Uanna')))).toBe('hello')
    expect(await opens({ cookie: cookie() })).toBe('hello')
    expect(await opens({ cookie: `${cookie()}x` })).toBe('authentication_required')
  })

  test('are taken from the cookie if the header is invalid, but not if the token in hello is', async () => {
    expect(await opens({ ...authorization('prl_ATinvalid'), cookie: cookie() })).toBe('hello')
    expect(await opens({ ...authorization(env.signIn('Uanna')), cookie: cookie() }, 'prl_ATinvalid')).toBe(
      'authentication_required',
    )
    expect(await opens({ cookie: cookie() }, '')).toBe('authentication_required')
    expect(await opens({ ...authorization('prl_ATinvalid') }, env.signIn('Uanna'))).toBe('hello')
  })

  test('are taken from the cookie only for pages of the server itself and of the origins named in the settings', async () => {
    expect(await opens({ cookie: cookie(), origin: 'https://evil.example.com' })).toBe('authentication_required')
    expect(await opens({ cookie: cookie(), origin: 'https://app.example.org' })).toBe('hello')
    expect(await opens({ cookie: cookie(), origin: node.url })).toBe('hello')
    // An attacker on the network can serve pages of the server's host over http.
    await using secure = await env.start({ PARLEY_WEBSERVER_URL: 'https://chat.example.org' })
    await waitUntilReady(secure)
    const host = new URL(secure.url).host
    for (const [origin, answer] of [
      ['https://chat.example.org', 'hello'],
      [`http://${host}`, 'authentication_required'],
      ['http://chat.example.org', 'authentication_required'],
    ] as const)
      expect([origin, await opens({ cookie: cookie(), origin }, undefined, secure)]).toEqual([origin, answer])
    expect(await opens({ origin: 'https://evil.example.com' }, env.signIn('Uanna'))).toBe('hello')
  })

  test('do not matter for pages of origins that are not allowed: they cannot connect', async () => {
    const strict = await env.start({ PARLEY_WEBSERVER_ALLOWED_ORIGINS: 'https://app.example.org' })
    await waitUntilReady(strict)
    for (const origin of ['https://evil.example.com', 'null', 'https://app.example.org.evil.com'])
      await expect(Socket.open(strict.url, { origin })).rejects.toThrow('403')
    ;(await Socket.open(strict.url, { origin: 'https://app.example.org' })).close()
    await strict[Symbol.asyncDispose]()
  })
})

test('while accounts is unavailable, a hello is refused with a time to wait', async () => {
  env.unavailable.add('accounts')
  const socket = await Socket.open(node.url)
  socket.sendRaw(hello(env.signIn('Uanna')))
  expect(await socket.first('error')).toMatchObject({ code: 'temporarily_unavailable', fatal: true })
  expect((await socket.first('error')).retryAfterMs).toBeGreaterThanOrEqual(1_000)
  expect(await socket.waitUntilClosed()).toMatchObject({ code: 1013 })
})

test('while rooms is unavailable, subscribing fails; afterwards it succeeds', async () => {
  env.unavailable.add('rooms')
  const token = env.signIn('Uberta')
  const socket = await Socket.openWithHello(node.url, token)
  socket.sendRaw(subscribe)
  expect(await socket.first('error')).toMatchObject({ code: 'subscribe_failed', fatal: true })
  expect((await socket.first('error')).retryAfterMs).toBeGreaterThanOrEqual(1_000)
  expect(await socket.waitUntilClosed()).toMatchObject({ code: 1011 })

  const patient = await Socket.openWithHello(node.url, token)
  env.unavailable.clear()
  patient.sendRaw(subscribe)
  await patient.first('subscribed')
  patient.close()
})

test('many hellos at once cause few calls', async () => {
  const before = { ...env.requests }
  const sockets = await Promise.all(Array.from({ length: 40 }, () => Socket.open(node.url)))
  const hellos = sockets.map((_, n) => hello(env.signIn(`Umany${n}`)))
  for (const [n, socket] of sockets.entries()) {
    socket.sendRaw(hellos[n] ?? '')
    socket.sendRaw(subscribe)
  }
  await Promise.all(sockets.map((socket) => socket.first('subscribed')))
  expect(env.requests.accounts - before.accounts).toBeLessThan(20)
  expect(env.requests.rooms - before.rooms).toBeLessThan(20)
  for (const socket of sockets) socket.close()
})

test('a person may have at most a hundred sockets', async () => {
  const token = env.signIn('Ucrowd')
  const [first, ...others] = await Promise.all(Array.from({ length: 100 }, () => Socket.openWithHello(node.url, token)))
  const further = await Socket.open(node.url)
  further.sendRaw(hello(env.signIn('Ucrowd')))
  expect(await further.first('error')).toMatchObject({
    code: 'temporarily_unavailable',
    message: expect.stringContaining('too many open sockets of this account'),
  })
  expect(await further.waitUntilClosed()).toMatchObject({ code: 1013 })
  expect([first, ...others].filter((socket) => socket?.isClosed)).toEqual([])

  const other = await Socket.openWithHello(node.url, env.signIn('Uanna'))
  first?.close()
  const next = await eventually(() => Socket.openWithHello(node.url, token))
  for (const socket of [...others, other, next]) socket.close()
})

test('requests that open no WebSocket get an explanation', async () => {
  const plain = await fetch(`${node.url}/api/realtime`)
  expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket'])
  expect(await plain.json()).toEqual({ error: expect.stringContaining('Upgrade: websocket') })
  expect((await fetch(`${node.url}/api/realtime`, { method: 'POST', body: 'x' })).status).toBe(426)
  expect((await fetch(`${node.url}/`)).status).toBe(404)
})
