import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { CreateMessageRequestSchema } from '@parley/contracts/api'
import { BadRequestSchema } from '@parley/contracts/rpc'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { type Answer, readAnswer, postJson } from '../src/http.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { lobbyId, newRoom } from '../src/rooms.ts'

const createMessage = '/svc.api.v1.MessageService/CreateMessage'
const createRoom = '/svc.api.v1.RoomService/CreateRoom'
const getRoomEvents = '/svc.api.v1.RoomService/GetRoomEvents'

let owner: Person
let ada: Person
let roomId: string
let groupId: string
let pidsBefore: string
const pids = () =>
  fleet()
    .state()
    .services.map(({ name, pid }) => `${name} ${pid}`)
    .sort()
    .join()

beforeAll(async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner, [ada])
  groupId = await lobbyId(ada)
  pidsBefore = pids()
})

type Request = {
  method?: string
  contentType?: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

/** POSTs JSON as ada unless stated otherwise. */
async function send(
  path: string,
  { method = 'POST', contentType = 'application/json', body = '{}', headers }: Request,
) {
  const response = await fetch(fleet().gateways[1] + path, {
    method,
    headers: { 'content-type': contentType, ...ada.authorization, ...headers },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  })
  return readAnswer(response)
}

function expectFailure(answer: Answer, status: number, code: string) {
  expect(answer).toMatchObject({ status, body: { code, message: expect.stringMatching(/\S+ \S+/) } })
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(Object.keys(answer.body as object).filter((key) => !['code', 'message', 'details'].includes(key))).toEqual([])
}

function invalidFields({ body }: Answer): string[] {
  const { details = [] } = body as { details?: { type: string; value: string }[] }
  const detail = details.find(({ type }) => type === 'google.rpc.BadRequest')
  const { fieldViolations } = fromBinary(BadRequestSchema, Buffer.from(detail?.value ?? '', 'base64'))
  expect(fieldViolations.every(({ description }) => description !== '')).toBe(true)
  return fieldViolations.map(({ field }) => field)
}

describe.each(['/api/connect', ''])('below "%s"', (prefix) => {
  test.each([
    ['a method that does not exist', '/svc.api.v1.RoomService/NoSuchMethod'],
    ['a service that does not exist', '/svc.api.v1.NoSuchService/GetRoom'],
    ['an internal method', '/svc.internal.v1.AccountsInternalService/PasswordLogin'],
    ['an operator’s method', '/svc.internal.v1.OperatorService/CreateUser'],
  ])('%s is not found', async (_, path) => {
    for (const contentType of ['application/json', 'application/proto']) {
      expectFailure(await send(prefix + path, { contentType, body: '' }), 404, 'unimplemented')
    }
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])(
    'content type "%s" is refused',
    async (contentType) => {
      const { status } = await send(prefix + createMessage, { contentType })
      expect(status).toBe(415)
    },
  )

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('the HTTP method %s is not allowed', async (method) => {
    const answer = await send(prefix + createMessage, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toContain('POST')
  })

  test.each([
    ['not JSON', 'hello'],
    ['a truncated object', '{"roomId": "R1", "body'],
    ['a list', '[]'],
    ['a number', '42'],
    ['an object in a string field', '{"roomId": {"a": 1}}'],
    ['a number in a string field', '{"roomId": 17}'],
    ['a string in a list field', '{"attachmentAssetIds": "A1"}'],
    ['the same field twice', '{"roomId": "R1", "room_id": "R2"}'],
    ['control characters', '\u0000\u0001\u0002'],
  ])('malformed JSON (%s) is an invalid argument', async (_, body) => {
    expectFailure(await send(prefix + createMessage, { body }), 400, 'invalid_argument')
  })

  test.each([
    ['an invalid tag', [0xff, 0xff, 0xff, 0xff]],
    ['a length beyond the end', [0x0a, 0x7f, 0x41]],
    ['a string that is not UTF-8', [0x0a, 0x02, 0xc3, 0x28]],
    ['an unterminated varint', [0x30, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
  ])('malformed protobuf (%s) is an invalid argument', async (_, bytes) => {
    const answer = await send(prefix + createMessage, { contentType: 'application/proto', body: new Uint8Array(bytes) })
    expectFailure(answer, 400, 'invalid_argument')
  })

  test('a body of more than 1 MiB is refused', async () => {
    const body = 'x'.repeat(1024 * 1024)
    expectFailure(
      await send(prefix + createMessage, { body: JSON.stringify({ roomId, body }) }),
      429,
      'resource_exhausted',
    )
    const binary = toBinary(CreateMessageRequestSchema, create(CreateMessageRequestSchema, { roomId, body }))
    expectFailure(
      await send(prefix + createMessage, { contentType: 'application/proto', body: binary }),
      ...([429, 'resource_exhausted'] as const),
    )
  })

  test('a compressed body of more than 1 MiB after decompression is refused', async () => {
    const body = gzipSync(JSON.stringify({ roomId, body: 'x'.repeat(20 * 1024 * 1024) }))
    expect(body.length).toBeLessThan(1024 * 1024)
    const answer = await send(prefix + createMessage, { body, headers: { 'content-encoding': 'gzip' } })
    expectFailure(answer, 429, 'resource_exhausted')
  })

  test('a body whose compression is unknown or not as declared is refused', async () => {
    const answer = await send(prefix + createMessage, { headers: { 'content-encoding': 'gzip' } })
    expectFailure(answer, 400, 'invalid_argument')
    const unknown = await send(prefix + createMessage, { headers: { 'content-encoding': 'zstd' } })
    expectFailure(unknown, 501, 'unimplemented')
  })
})

describe('credentials', () => {
  test.each([
    ['no credential', {}],
    ['a token that was never issued', { authorization: 'Bearer prl_ATaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }],
    ['a malformed token', { authorization: 'Bearer x' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic b2xpdmlhOm9saXZpYQ==' }],
    ['a forged cookie', { cookie: 'parley_session=abc.def' }],
    ['the internal header that names a caller', { 'parley-caller': 'CgR1c2Vy' }],
  ])('a call with %s is unauthenticated, before anything else is checked', async (_, headers) => {
    for (const body of ['{}', 'not JSON', JSON.stringify({ roomId })]) {
      const answer = await postJson(fleet().gateways[0] + '/api/connect' + getRoomEvents, body, headers)
      expectFailure(answer, 401, 'unauthenticated')
    }
  })

  test('a call with an invalid bearer token is authenticated by its cookie', async () => {
    const login = await postJson(`${fleet().gateways[0]}/auth/login`, { login: ada.login, password: ada.password })
    const cookie = login.headers
      .getSetCookie()
      .map((value) => value.split(';')[0])
      .join('; ')
    const answer = await postJson(
      `${fleet().gateways[0]}/api/connect/svc.api.v1.ViewerService/GetViewer`,
      {},
      { authorization: 'Bearer prl_ATnone', cookie },
    )
    expect(answer.status).toBe(200)
  })
})

describe('an invalid field is named in the response to', () => {
  const text = (length: number) => 'x'.repeat(length)

  test.each<[string, string, object, string[]]>([
    ['no room', createMessage, { body: 'hi' }, ['room_id']],
    [
      'eleven attachments',
      createMessage,
      { roomId: 'R1', attachmentAssetIds: Array.from({ length: 11 }, (_, i) => `A${i}`) },
      ['attachment_asset_ids'],
    ],
    ['an empty attachment id', createMessage, { roomId: 'R1', attachmentAssetIds: [''] }, ['attachment_asset_ids[0]']],
    [
      'an attachment id of 65 bytes',
      createMessage,
      { roomId: 'R1', attachmentAssetIds: [text(65)] },
      ['attachment_asset_ids[0]'],
    ],
    ['no name and no group', createRoom, {}, ['name', 'group_id']],
    ['a name of 31 characters', createRoom, { name: text(31), groupId: 'G1' }, ['name']],
    [
      'a description of 501 characters',
      createRoom,
      { name: 'a', groupId: 'G1', description: text(501) },
      ['description'],
    ],
    ['no rooms', '/svc.api.v1.RoomDirectoryService/BatchGetRooms', {}, ['room_ids']],
    [
      '101 rooms',
      '/svc.api.v1.RoomDirectoryService/BatchGetRooms',
      { roomIds: Array.from({ length: 101 }, () => 'R1') },
      ['room_ids'],
    ],
    ['an unknown enum value', '/svc.api.v1.RoomDirectoryService/ListRooms', { scope: 9 }, ['scope']],
  ])('a request with %s', async (_, path, request, fields) => {
    const answer = await send(`/api/connect${path}`, { body: JSON.stringify(request) })
    expectFailure(answer, 400, 'invalid_argument')
    expect(invalidFields(answer)).toEqual(fields)
  })
})

describe('rules that services check', () => {
  test.each<[string, () => [string, object], number, string]>([
    [
      'a message without visible characters',
      () => [createMessage, { roomId, body: ' \n\t\u200b ' }],
      400,
      'invalid_argument',
    ],
    ['a message of 10,001 bytes', () => [createMessage, { roomId, body: 'x'.repeat(10_001) }], 400, 'invalid_argument'],
    [
      'a message of 3,334 three-byte characters',
      () => [createMessage, { roomId, body: '語'.repeat(3_334) }],
      400,
      'invalid_argument',
    ],
    [
      'a reply in a thread whose root does not exist',
      () => [createMessage, { roomId, body: 'hi', threadRootEventId: 'Enowhere' }],
      404,
      'not_found',
    ],
    [
      'a reply to a message that does not exist',
      () => [createMessage, { roomId, body: 'hi', inReplyTo: 'Enowhere' }],
      400,
      'invalid_argument',
    ],
    [
      'an echo without a thread',
      () => [createMessage, { roomId, body: 'hi', alsoSendToChannel: true }],
      400,
      'invalid_argument',
    ],
    ['a malformed cursor', () => [getRoomEvents, { roomId, before: '!!' }], 400, 'invalid_argument'],
    ['a room that does not exist', () => [getRoomEvents, { roomId: 'Rnowhere' }], 404, 'not_found'],
    [
      'events around an event that does not exist',
      () => ['/svc.api.v1.RoomService/GetRoomEventsAround', { roomId, eventId: 'Enowhere' }],
      404,
      'not_found',
    ],
  ])('%s is refused', async (_, request, status, code) => {
    const [path, body] = request()
    expectFailure(await send(`/api/connect${path}`, { body: JSON.stringify(body) }), status, code)
  })

  test('room names may only contain letters, digits, underscores and hyphens', async () => {
    for (const name of ['two words', 'ümlaut', 'dot.dot', 'a/b', '🫖']) {
      const answer = await postJson(
        `${fleet().gateways[0]}/api/connect${createRoom}`,
        { name, groupId },
        owner.authorization,
      )
      expectFailure(answer, 400, 'invalid_argument')
    }
  })

  test('a message of 10,000 bytes is accepted', async () => {
    const answer = await send(`/api/connect${createMessage}`, {
      body: JSON.stringify({ roomId, body: 'x'.repeat(10_000) }),
    })
    expect(answer.status).toBe(200)
  })

  test('very large and negative limits are accepted', async () => {
    const answer = await send(`/api/connect${getRoomEvents}`, {
      body: JSON.stringify({ roomId, limit: 2_000_000_000 }),
    })
    expect(answer.status).toBe(200)
    const negative = await send(`/api/connect${getRoomEvents}`, { body: JSON.stringify({ roomId, limit: -5 }) })
    expect(negative.status).toBe(200)
  })
})

describe('headers', () => {
  const call = (headers: Record<string, string>) =>
    send(`/api/connect${createMessage}`, { body: JSON.stringify({ roomId, body: 'hi' }), headers })

  test('another version of the Connect protocol is refused', async () => {
    expectFailure(await call({ 'connect-protocol-version': '2' }), 400, 'invalid_argument')
  })

  test('an invalid timeout is refused, and an expired one fails with deadline_exceeded', async () => {
    expectFailure(await call({ 'connect-timeout-ms': 'soon' }), 400, 'invalid_argument')
    expectFailure(await call({ 'connect-timeout-ms': '0' }), 504, 'deadline_exceeded')
  })

  test('an idempotency key has at most 128 characters, all visible', async () => {
    expectFailure(await call({ 'idempotency-key': 'x'.repeat(129) }), 400, 'invalid_argument')
    expectFailure(await call({ 'idempotency-key': 'two words' }), 400, 'invalid_argument')
    expect((await call({ 'idempotency-key': `~${'x'.repeat(127)}` })).status).toBe(200)
  })
})

describe('the sign-in routes', () => {
  const auth = (path: string, body: unknown, headers = {}) =>
    postJson(`${fleet().gateways[0]}/auth/${path}`, body, headers)

  test.each([
    ['an empty object', {}],
    ['no password', { login: 'ada' }],
    ['an object for a login', { login: { a: 1 }, password: 'x' }],
    ['a login of 300 characters', { login: 'x'.repeat(300), password: 'x' }],
    ['a list', []],
  ])('a sign-in with %s is a bad request', async (_, body) => {
    expect(await auth('login', body)).toMatchObject({ status: 400, body: { error: expect.any(String) } })
  })

  test('bodies of more than 64 KiB, other methods and unknown routes are refused', async () => {
    expect((await auth('login', { login: 'ada', password: 'x'.repeat(70_000) })).status).toBe(413)
    expect((await fetch(`${fleet().gateways[0]}/auth/login`)).status).toBe(405)
    expect((await auth('nothing', {})).status).toBe(404)
  })

  test('a log-out by cookie requires the CSRF token', async () => {
    const login = await postJson(`${fleet().gateways[0]}/auth/login`, { login: ada.login, password: ada.password })
    const cookies = login.headers.getSetCookie().map((value) => value.split(';')[0] ?? '')
    const cookie = cookies.join('; ')
    expect((await auth('logout', {}, { cookie })).status).toBe(403)
    expect((await auth('logout', {}, { cookie, 'x-csrf-token': 'forged.token' })).status).toBe(403)
    const csrf = cookies.find((value) => value.startsWith('parley_csrf='))?.slice('parley_csrf='.length) ?? ''
    expect((await auth('logout', {}, { cookie, 'x-csrf-token': csrf })).status).toBe(200)
  })
})

test('a connection with invalid or incomplete HTTP is closed', async () => {
  const { hostname, port } = new URL(fleet().gateways[0])
  for (const bytes of [
    'hello\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxxxxx',
    'GET / HTTP/1.1\r\nHost',
  ]) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(bytes)
    if (bytes.startsWith('GET')) socket.end()
    await new Promise<void>((resolve) => socket.on('close', () => resolve()).resume())
  }
  expect((await fetch(`${fleet().gateways[0]}/healthz`)).status).toBe(200)
})

test('no process ended because of these requests', async () => {
  await eventually(() => expect(pids()).toBe(pidsBefore))
})
