import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { fleet } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { newPerson, type Person } from '../src/people.ts'
import { Socket } from '@parley/testkit/realtime-socket'

let ada: Person
beforeAll(async () => {
  ada = await newPerson('ada')
})

const open: Socket[] = []
afterEach(() => open.splice(0).forEach((socket) => socket[Symbol.dispose]()))

async function connect(base: string, headers: Record<string, string> = {}): Promise<Socket> {
  const socket = await Socket.open(base, headers)
  open.push(socket)
  return socket
}

async function expectFatal(socket: Socket, code: string, closeCode: number) {
  expect(await socket.waitUntilClosed()).toMatchObject({ code: closeCode })
  expect(socket.frames.at(-1)).toMatchObject({
    case: 'error',
    value: { code, fatal: true, message: expect.stringMatching(/\S+ \S+/) },
  })
}

const garbage = new Uint8Array([0xff, 0xff, 0xff, 0x07])
const tooLong = new Uint8Array(64 * 1024 + 1)

describe.each(['a node', 'the gateway'])('at %s', (where) => {
  const base = () => (where === 'a node' ? fleet().realtimeNodes[1] : fleet().gateways[1])

  test.each<[string, string | Uint8Array, number]>([
    ['text', 'hello', 1002],
    ['garbage', garbage, 1002],
    ['an empty frame', new Uint8Array(), 1002],
    ['an oversized frame', tooLong, 1009],
  ])('%s instead of hello is answered with bad_hello', async (_, data, closeCode) => {
    const socket = await connect(base())
    socket.sendRaw(data)
    await expectFatal(socket, 'bad_hello', closeCode)
  })

  test('a subscribe before hello is answered with bad_hello', async () => {
    const socket = await connect(base())
    socket.send({ case: 'subscribeEvents', value: {} })
    await expectFatal(socket, 'bad_hello', 1002)
  })

  test.each([2, 4_294_967_295])('protocol version %i is not supported', async (protocolVersion) => {
    const socket = await connect(base())
    socket.send({ case: 'hello', value: { protocolVersion, bearerToken: ada.token } })
    await expectFatal(socket, 'unsupported_protocol', 1002)
  })

  test('a hello without a valid credential requires authentication', async () => {
    for (const hello of [{}, { bearerToken: 'prl_ATnobody' }, { bearerToken: '' }]) {
      const socket = await connect(base())
      socket.send({ case: 'hello', value: { protocolVersion: 1, ...hello } })
      await expectFatal(socket, 'authentication_required', 1008)
    }
  })

  test.each<[string, string | Uint8Array, number]>([
    ['text', 'subscribe', 1002],
    ['garbage', garbage, 1002],
    ['an oversized frame', tooLong, 1009],
  ])('%s instead of subscribe is answered with bad_subscribe', async (_, data, closeCode) => {
    const socket = await connect(base())
    await socket.hello(ada.token)
    socket.sendRaw(data)
    await expectFatal(socket, 'bad_subscribe', closeCode)
  })

  test('a second hello, or a ping before subscribing, is answered with bad_subscribe', async () => {
    const hello = { case: 'hello', value: { protocolVersion: 1, bearerToken: ada.token } } as const
    for (const frame of [hello, { case: 'ping', value: { nonce: 'early' } } as const]) {
      const socket = await connect(base())
      await socket.hello(ada.token)
      socket.send(frame)
      await expectFatal(socket, 'bad_subscribe', 1002)
    }
  })

  test.each<[string, string | Uint8Array, number]>([
    ['text', 'ping', 1002],
    ['garbage', garbage, 1002],
    ['an empty frame', new Uint8Array(), 1002],
    ['an oversized frame', tooLong, 1009],
  ])('%s on a subscribed socket is answered with bad_frame', async (_, data, closeCode) => {
    const socket = await Socket.subscribe(base(), ada.token)
    open.push(socket)
    socket.sendRaw(data)
    await expectFatal(socket, 'bad_frame', closeCode)
  })

  test('a second subscribe, or a hello after subscribing, is answered with bad_frame', async () => {
    const subscribe = { case: 'subscribeEvents', value: {} } as const
    for (const frame of [subscribe, { case: 'hello', value: { protocolVersion: 1 } } as const]) {
      const socket = await Socket.subscribe(base(), ada.token)
      open.push(socket)
      socket.send(frame)
      await expectFatal(socket, 'bad_frame', 1002)
    }
  })
})

test('a client that does not send hello or subscribe in time gets an error', async () => {
  const bases = [fleet().realtimeNodes[0], fleet().gateways[0]]
  const silent = await Promise.all(bases.map((base) => connect(base)))
  const undecided = await Promise.all(bases.map((base) => connect(base)))
  for (const socket of undecided) await socket.hello(ada.token)
  for (const socket of silent) await expectFatal(socket, 'bad_hello', 1002)
  for (const socket of undecided) await expectFatal(socket, 'bad_subscribe', 1002)
})

test('a frame of exactly 64 KiB is accepted', async () => {
  const socket = await Socket.subscribe(fleet().realtimeNodes[0], ada.token)
  open.push(socket)
  // The nonce is nested in two fields, each with one byte of tag and three of length.
  const nonce = 'x'.repeat(64 * 1024 - 8)
  socket.send({ case: 'ping', value: { nonce } })
  expect((await socket.first('pong')).nonce).toHaveLength(nonce.length)
})

describe('credentials', () => {
  const cookieOf = async () => {
    const login = await postJson(`${fleet().gateways[0]}/auth/login`, { login: ada.login, password: ada.password })
    return login.headers
      .getSetCookie()
      .map((value) => value.split(';')[0])
      .join('; ')
  }

  test('a session cookie is enough for a hello without a token', async () => {
    const { host } = new URL(fleet().realtimeNodes[0])
    const socket = await connect(fleet().realtimeNodes[0], { cookie: await cookieOf(), origin: `http://${host}` })
    socket.send({ case: 'hello', value: { protocolVersion: 1 } })
    expect((await socket.first('hello')).protocolVersion).toBe(1)
  })

  test('a hello with an invalid token is refused even if the cookie is valid', async () => {
    const socket = await connect(fleet().realtimeNodes[0], { cookie: await cookieOf() })
    socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: 'prl_ATnobody' } })
    await expectFatal(socket, 'authentication_required', 1008)
  })

  test('a page of another origin cannot use its visitor’s cookie', async () => {
    const headers = { cookie: await cookieOf(), origin: 'https://elsewhere.example' }
    const socket = await connect(fleet().realtimeNodes[0], headers)
    socket.send({ case: 'hello', value: { protocolVersion: 1 } })
    await expectFatal(socket, 'authentication_required', 1008)
  })
})

test('a request that is not a WebSocket upgrade gets a 4xx response', async () => {
  for (const base of [...fleet().realtimeNodes, ...fleet().gateways]) {
    const response = await fetch(`${base}/api/realtime`)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
  }
})
