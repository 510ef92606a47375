import { gzipSync } from 'node:zlib'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  CreateRoomRequestSchema,
  GetRoomRequestSchema,
  GetRoomResponseSchema,
  RoomDirectoryService,
  RoomService,
} from '@parley/contracts/api'
import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import { v1 } from '@parley/contracts/reflection'
import { eventually, jsonOf, type Browser } from '@parley/testkit'
import { publishCredentialsEnded } from './_events.ts'
import { secretKey } from './_accounts.ts'
import { openEnv, useEnv, sessionCookie, type Gateway } from './_env.ts'

const env = useEnv()
let gateway: Gateway
let browser: Browser
beforeAll(async () => {
  gateway = await env.start()
})
beforeEach(() => {
  browser = gateway.browser()
  env.accounts.answers.clear()
  env.accounts.requested.length = 0
  env.accounts.isUnavailable = false
  env.received.length = 0
})

const getRoom = '/api/connect/svc.api.v1.RoomDirectoryService/GetRoom'
const createRoom = '/api/connect/svc.api.v1.RoomService/CreateRoom'
const bearer = (userId = 'U-ada') => ({ authorization: `Bearer ${env.accounts.credential(userId)}` })
const cookie = (userId = 'U-ada') => ({ cookie: sessionCookie(env.accounts.credential(userId)) })
const call = (headers: Record<string, string>, path = getRoom) => browser.postJson(path, { roomId: 'R1' }, headers)

const transports = {
  'Connect, JSON': (interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl: `${gateway.url}/api/connect`, httpVersion: '1.1', interceptors }),
  'Connect, binary': (interceptors: Interceptor[]) =>
    createConnectTransport({
      ...{ baseUrl: `${gateway.url}/api/connect`, httpVersion: '1.1', useBinaryFormat: true, interceptors },
    }),
  'gRPC-Web': (interceptors: Interceptor[]) =>
    createGrpcWebTransport({ baseUrl: `${gateway.url}/api/connect`, httpVersion: '1.1', interceptors }),
  gRPC: (interceptors: Interceptor[]) => createGrpcTransport({ baseUrl: gateway.url, interceptors }),
}
const protocols = Object.keys(transports) as (keyof typeof transports)[]

/** Without duplicates: a call that may be repeated is sent again if its response takes too long. */
const callers = () => [...new Set(env.received.map(({ userId }) => userId))]

describe('the caller', () => {
  test('is identified by a bearer token, or by the session cookie', async () => {
    await call(bearer('U-ada'))
    await call(cookie('U-bob'))
    expect(callers()).toEqual(['U-ada', 'U-bob'])
  })

  test('is identified by a valid token, otherwise by the cookie', async () => {
    await call({ ...bearer('U-ada'), ...cookie('U-bob') })
    expect(callers()).toEqual(['U-ada'])
    for (const authorization of ['Bearer prl_ATnone', 'Basic YTpi']) {
      env.received.length = 0
      await call({ authorization, ...cookie('U-bob') })
      expect(callers()).toEqual(['U-bob'])
    }
  })

  test.each([
    ['no credential', {}],
    ['an unknown token', { authorization: 'Bearer prl_ATnone' }],
    ['an unsigned cookie', { cookie: 'parley_session=handle' }],
    ['a cookie signed with another key', { cookie: `parley_session=handle.${Buffer.alloc(32).toString('base64url')}` }],
  ])('is unauthenticated with %s', async (_, headers: Record<string, string>) => {
    const answer = await call(headers)
    expect([answer.status, jsonOf(answer)]).toEqual([401, expect.objectContaining({ code: 'unauthenticated' })])
    expect(env.received).toEqual([])
  })

  test('is checked before the body is parsed', async () => {
    expect((await browser.postJson(getRoom, 'nonsense')).status).toBe(401)
    expect((await browser.postJson(getRoom, 'nonsense', bearer())).status).toBe(400)
  })

  test('is answered with unavailable if it cannot be checked', async () => {
    env.accounts.isUnavailable = true
    const answer = await call({ authorization: 'Bearer prl_ATunseen' })
    expect([answer.status, jsonOf(answer)]).toEqual([503, expect.objectContaining({ code: 'unavailable' })])
  })

  test('is unauthenticated at every gateway once their credentials have ended', async () => {
    const other = (await env.start()).browser()
    const headers = bearer('U-gone')
    for (const each of [browser, other])
      expect((await each.postJson(getRoom, { roomId: 'R1' }, headers)).status).toBe(200)
    env.accounts.callers.clear()
    await publishCredentialsEnded(env.bus, 'U-gone')
    for (const each of [browser, other]) {
      await eventually(async () => expect((await each.postJson(getRoom, { roomId: 'R1' }, headers)).status).toBe(401))
    }
  })
})

describe('headers', () => {
  const encoded = Buffer.from('anything').toString('base64')

  test('of a client cannot impersonate our own processes', async () => {
    const own = { ...bearer(), ...cookie(), 'parley-caller': encoded, 'parley-blob': 'B1', 'parley-key': 'k' }
    await call(own)
    expect(callers()).toEqual(['U-ada'])
    for (const [name, value] of Object.entries(own))
      expect([name, env.received[0]?.headers.get(name)]).not.toEqual([name, value])
    expect((await call({ 'parley-caller': encoded })).status).toBe(401)
  })

  test('sent twice cannot bypass a check', async () => {
    const twice = (headers: [string, string][]) =>
      fetch(gateway.url + createRoom, {
        method: 'POST',
        headers: [['content-type', 'application/json'], ...headers],
        body: JSON.stringify({ name: 'a', groupId: 'G1' }),
      })
    const token = bearer()['authorization']
    const keys = await twice([
      ['authorization', token],
      ['idempotency-key', 'a'],
      ['idempotency-key', 'b'],
    ])
    expect(keys.status).toBe(400)
    const tokens = await twice([
      ['authorization', 'Bearer prl_ATnone'],
      ['authorization', token],
    ])
    expect(tokens.status).toBe(401)
  })

  test('that are internal are removed from a response', async () => {
    const answer = await call(bearer())
    expect(answer.status).toBe(200)
    for (const name of ['parley-session', 'parley-secret', 'set-cookie']) expect(answer.headers.get(name)).toBeNull()
  })
})

describe('a path', () => {
  test.each([
    ...[
      '/api/connect/../connect/svc.api.v1.RoomDirectoryService/GetRoom',
      '/assets/../internal/blobs',
      '/assets/..%2finternal',
    ],
    ...['/assets/%2e%2e/internal/blobs', '//api/connect/svc.api.v1.RoomDirectoryService/GetRoom', '/assets//internal'],
    ...[
      '/api%2fconnect/svc.api.v1.RoomDirectoryService/GetRoom',
      '/auth%2flogin',
      '/auth/./login',
      '/auth\\login',
      '/a%00',
    ],
    ...['/assets/%252e%252e/internal', '/assets/%', '/assets/..'],
  ])('such as %s is refused', async (path) => {
    const { status } = await rawRequest(gateway.url, `POST ${path} HTTP/1.1`)
    expect(status).toBe(400)
    expect(env.received).toEqual([])
  })

  test('may be an absolute URL, with any host', async () => {
    const { status } = await rawRequest(gateway.url, 'GET http://evil.example/healthz HTTP/1.1')
    expect(status).toBe(200)
    const passed = await rawRequest(gateway.url, 'GET http://evil.example/assets/files/x HTTP/1.1')
    expect(passed.status).toBe(404)
  })

  test('that differs from a known one in letter case, or is longer, is not found', async () => {
    for (const path of ['/Auth/login', '/auth/login/', '/auth/login/x', '/LOGIN'])
      expect((await browser.postJson(path, {})).status).toBe(404)
  })
})

describe('a method', () => {
  test.each(protocols)('answers over %s', async (name) => {
    const withToken: Interceptor = (next) => (request) => {
      request.header.set('authorization', bearer('U-ada')['authorization'])
      return next(request)
    }
    const rooms = createClient(RoomDirectoryService, transports[name]([withToken]))
    expect((await rooms.getRoom({ roomId: 'R1' })).room?.room?.name).toBe('R1')
    const nobody = createClient(RoomDirectoryService, transports[name]([]))
    await expect(nobody.getRoom({ roomId: 'R1' })).rejects.toMatchObject({ code: Code.Unauthenticated })
    expect(callers()).toEqual(['U-ada'])
  })

  test('is found at the root and below the prefix, in JSON and binary', async () => {
    const body = toBinary(GetRoomRequestSchema, create(GetRoomRequestSchema, { roomId: 'R2' }))
    for (const path of [getRoom, getRoom.slice('/api/connect'.length)]) {
      expect(jsonOf(await browser.postJson(path, { roomId: 'R1' }, bearer()))).toEqual({
        room: { room: { id: 'R1', name: 'R1' } },
      })
      const headers = { 'content-type': 'application/proto', ...bearer() }
      const response = await fetch(gateway.url + path, { method: 'POST', headers, body: Buffer.from(body) })
      expect(response.headers.get('content-type')).toBe('application/proto')
      const { room } = fromBinary(GetRoomResponseSchema, new Uint8Array(await response.arrayBuffer()))
      expect(room?.room?.id).toBe('R2')
    }
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    '',
  ])('refuses the content type "%s", even with the session cookie', async (type) => {
    const answer = await browser.send('POST', getRoom, '{"roomId":"R1"}', { 'content-type': type, ...cookie() })
    expect(answer.status).toBe(415)
    expect(env.received).toEqual([])
  })

  test('requires POST, and is not found if it is unknown or internal', async () => {
    expect((await browser.get(getRoom, bearer())).status).toBe(405)
    for (const path of ['/api/connect/svc.api.v1.RoomService/Nothing', '/api/connect/nothing', '/nothing'])
      expect((await call(bearer(), path)).status).toBe(404)
    const internal = '/api/connect/svc.internal.v1.AccountsInternalService/Authenticate'
    expect((await call(bearer(), internal)).status).toBe(404)
  })

  test('refuses a body above a megabyte, even if compressed', async () => {
    const big = JSON.stringify({ roomId: 'x'.repeat(1_100_000) })
    expect((await browser.postJson(getRoom, big, bearer())).status).toBe(429)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', ...bearer() }
    const bomb = await fetch(gateway.url + getRoom, { method: 'POST', headers, body: gzipSync(big) })
    expect(bomb.status).toBe(429)
    const small = gzipSync(JSON.stringify({ roomId: 'R1' }))
    expect((await fetch(gateway.url + getRoom, { method: 'POST', headers, body: small })).status).toBe(200)
    expect(new Set(env.received.map(({ roomId }) => roomId))).toEqual(new Set(['R1']))
  })

  test('that creates something is called with the idempotency key of the client, or else with an automatic one', async () => {
    const body = create(CreateRoomRequestSchema, { name: 'a', groupId: 'G1' })
    await browser.postJson(createRoom, { ...body }, { ...bearer(), 'idempotency-key': 'mine' })
    await browser.postJson(createRoom, { ...body }, bearer())
    expect([...new Set(env.received.map(({ key }) => key))]).toEqual(['mine', expect.stringMatching(/^auto:/)])
    expect((await browser.postJson(createRoom, {}, { ...bearer(), 'idempotency-key': 'a b' })).status).toBe(400)
  })

  test('compresses long responses if the client accepts it and the setting is on', async () => {
    const body = JSON.stringify({ roomId: 'x'.repeat(3_000) })
    const send = (url: string, encoding: string) => {
      const headers = { 'content-type': 'application/json', 'accept-encoding': encoding, ...bearer() }
      return fetch(url + getRoom, { method: 'POST', headers, body })
    }
    expect((await send(gateway.url, 'gzip')).headers.get('content-encoding')).toBe('gzip')
    expect((await send(gateway.url, 'identity')).headers.get('content-encoding')).toBeNull()
    const off = await env.start({ PARLEY_WEBSERVER_API_COMPRESSION: 'false' })
    expect((await send(off.url, 'gzip')).headers.get('content-encoding')).toBeNull()
  })
})

test('reflection shows the public packages to anyone', async () => {
  const client = createClient(v1.ServerReflection, transports.gRPC([]))
  async function* requests() {
    await Promise.resolve()
    yield create(v1.ServerReflectionRequestSchema, { messageRequest: { case: 'listServices', value: '*' } })
  }
  for await (const { messageResponse } of client.serverReflectionInfo(requests())) {
    const names =
      messageResponse.case === 'listServicesResponse' ? messageResponse.value.service.map(({ name }) => name) : []
    expect(names).toContain(RoomService.typeName)
    expect(names.filter((name) => name.includes('internal'))).toEqual([])
  }
})

describe('an account created after a sign-in at a provider', () => {
  test.each(protocols)('starts a browser session over %s, with the handle only in the cookie', async (name) => {
    env.accounts.answers.set('createExternalIdentityAccount', (_, setHeader) => {
      setHeader('parley-session', 'H4ndle 60 U-new')
      return { userId: 'U-new', login: 'ada', token: 'prl_AT1' }
    })
    const identities = createClient(ExternalIdentityAuthService, transports[name]([]))
    let headers = new Headers()
    const answer = await identities.createExternalIdentityAccount(
      { token: 'EC1', login: 'ada' },
      { onHeader: (received) => (headers = received) },
    )
    expect(answer).toMatchObject({ userId: 'U-new', token: 'prl_AT1' })
    const cookies = headers.getSetCookie()
    expect(cookies).toEqual([
      expect.stringMatching(/^parley_session=H4ndle\.[\w-]{43}; Path=\/; SameSite=Lax; HttpOnly; Max-Age=60$/),
      expect.stringMatching(/^parley_csrf=/),
    ])
    expect(headers.get('parley-session')).toBeNull()
  })
})

describe('a session near its end', () => {
  const dueCredential = (userId: string) =>
    env.accounts.credential(userId, { rotateAfter: timestampFromDate(new Date(0)) })
  beforeEach(() => {
    env.accounts.answers.set('rotateSession', () => ({
      ...{ cookieHandle: env.accounts.credential('U-ada'), lifetimeSeconds: 7_776_000 },
    }))
  })

  test('gets a new cookie with a response, once', async () => {
    const headers = { cookie: sessionCookie(dueCredential('U-ada')) }
    const first = await call(headers)
    expect([first.status, first.cookies.length]).toEqual([200, 2])
    expect(browser.jar.has('parley_session')).toBe(true)
    expect((await call(headers)).cookies).toEqual([])
    const renewed = await browser.send('POST', getRoom, '{"roomId":"R1"}', { 'content-type': 'application/json' })
    expect(renewed.status).toBe(200)
    expect(env.accounts.requests('rotateSession')).toHaveLength(1)
  })

  test('gets a new cookie even with a failed call, and at browser routes', async () => {
    const failed = await browser.postJson(getRoom, 'nonsense', { cookie: sessionCookie(dueCredential('U-ada')) })
    expect([failed.status, failed.cookies.length]).toEqual([400, 2])
    const page = await browser.get('/auth/providers/corp', { cookie: sessionCookie(dueCredential('U-ada')) })
    expect(page.cookies.filter((one) => one.startsWith('parley_session='))).toHaveLength(1)
  })

  test('gets a CSRF token that is valid with its new cookie', async () => {
    const first = await call({ cookie: sessionCookie(dueCredential('U-ada')) })
    expect(first.cookies[1]).toMatch(/^parley_csrf=/)
    expect((await browser.postJson('/auth/verify-email/request-code', { email: 'a@b' }, browser.csrf)).status).toBe(200)
  })

  test('stays unchanged if accounts does not answer, or has just renewed it', async () => {
    env.accounts.refuse('rotateSession', Code.Unavailable)
    expect((await call({ cookie: sessionCookie(dueCredential('U-ada')) })).status).toBe(200)
    env.accounts.answers.set('rotateSession', () => ({}))
    expect((await call({ cookie: sessionCookie(dueCredential('U-ada')) })).cookies).toEqual([])
  })
})

describe('a credential stored under the previous secret key', () => {
  const newKey = 'the secret key after its rotation, long enough'

  test('is valid, and stored under the current key from then on', async () => {
    const rotated = await env.start({ PARLEY_CORE_SECRET_KEY: newKey, PARLEY_CORE_SECRET_KEY_PREVIOUS: secretKey })
    const retired = await env.start({ PARLEY_CORE_SECRET_KEY: newKey })
    const [token, handle] = [env.accounts.credential('U-rot'), env.accounts.credential('U-rot')]
    const both = [{ authorization: `Bearer ${token}` }, { cookie: sessionCookie(handle) }]
    const attempt = async (gateway: Gateway, headers: Record<string, string>) =>
      (await gateway.browser().postJson(getRoom, { roomId: 'R1' }, headers)).status
    for (const headers of both) expect(await attempt(retired, headers)).toBe(401)
    for (const headers of both) expect(await attempt(rotated, headers)).toBe(200)
    for (const headers of both) await eventually(async () => expect(await attempt(retired, headers)).toBe(200))
    for (const headers of both) expect(await attempt(rotated, headers)).toBe(200)
    expect(env.accounts.requests('rekeyCredentials')).toEqual([{ userId: 'U-rot' }, { userId: 'U-rot' }])
  })

  test('ends with a log-out', async () => {
    const rotated = await env.start({ PARLEY_CORE_SECRET_KEY: newKey, PARLEY_CORE_SECRET_KEY_PREVIOUS: secretKey })
    const headers = { authorization: `Bearer ${env.accounts.credential('U-out')}` }
    expect((await rotated.browser().postJson('/auth/logout', {}, headers)).status).toBe(200)
    expect((await rotated.browser().postJson(getRoom, { roomId: 'R1' }, headers)).status).toBe(401)
  })
})

test('requests for icons are redirected to the logo, or not found without one', async () => {
  expect((await browser.get('/favicon.ico')).status).toBe(404)
  const other = await openEnv()
  other.server.logoUrl = 'http://chat.example.org/assets/server/logo'
  const page = (await other.start()).browser()
  for (const path of ['/favicon.ico', '/apple-touch-icon.png'])
    expect(await page.get(path)).toMatchObject({ status: 302, location: other.server.logoUrl })
  await other[Symbol.asyncDispose]()
})

describe('a stopping gateway', () => {
  test('finishes running work, and then does not wait for the end of its drain time', async () => {
    const ending = await env.start({ PARLEY_DRAIN_TIMEOUT: '60s' })
    const client = ending.browser()
    await client.postJson(getRoom, { roomId: 'before' }, bearer())
    const release = env.hold()
    const running = client.postJson(getRoom, { roomId: 'held' }, bearer())
    await eventually(() => expect(env.received.map(({ roomId }) => roomId)).toContain('held'))
    const ended = ending[Symbol.asyncDispose]()
    await eventually(() => expect(fetch(`${ending.url}/healthz`)).rejects.toThrow())
    release()
    expect((await running).status).toBe(200)
    await ended
  })
})

async function rawRequest(base: string, line: string): Promise<{ status: number }> {
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(base)
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${line}\r\nHost: ${hostname}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
    )
    let received = ''
    socket.on('data', (data) => (received += String(data)))
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]) }
}
