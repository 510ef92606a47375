import { gzipSync } from 'node:zlib'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  CreateMessageRequestSchema,
  CreateMessageResponseSchema,
  GetRoomEventsRequestSchema,
  GetRoomEventsResponseSchema,
  GetViewerResponseSchema,
  MessageService,
  RoomService,
  ViewerService,
} from '@parley/contracts/api'
import { fleet } from '../src/fleet.ts'
import { readAnswer, pathOf } from '../src/http.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'

let ada: Person
let roomId: string
beforeAll(async () => {
  const [owner, person] = await Promise.all([signInOwner(), newPerson('ada')])
  ada = person
  roomId = await newRoom(owner, [ada])
})

const send = (
  path: string,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = {},
) =>
  fetch(fleet().gateways[1] + path, {
    method: 'POST',
    headers: { 'content-type': contentType, ...ada.authorization, ...headers },
    body,
  })

describe.each(['/api/connect', ''])('below "%s"', (prefix) => {
  const viewer = pathOf(ViewerService.method.getViewer, prefix)

  test.each([
    ['{}', '{}'],
    ['no bytes', ''],
    ['{} with white space', '  {\n}  '],
  ])('an empty JSON request may be %s', async (_, body) => {
    const answer = await readAnswer(await send(viewer, 'application/json', body))
    expect(answer).toMatchObject({ status: 200, body: { user: { profile: { id: ada.userId } } } })
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('a content type may name its character set', async () => {
    const answer = await send(viewer, 'application/json; charset=utf-8', '{}')
    expect(answer.status).toBe(200)
  })

  test('an empty binary request may have no body', async () => {
    const response = await send(viewer, 'application/proto', null)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/proto')
    const { user } = fromBinary(GetViewerResponseSchema, new Uint8Array(await response.arrayBuffer()))
    expect(user?.profile?.login).toBe(ada.login)
  })

  test('binary requests get binary responses', async () => {
    const request = create(CreateMessageRequestSchema, { roomId, body: 'bytes' })
    const path = pathOf(MessageService.method.createMessage, prefix)
    const response = await send(path, 'application/proto', toBinary(CreateMessageRequestSchema, request))
    const { message } = fromBinary(CreateMessageResponseSchema, new Uint8Array(await response.arrayBuffer()))
    expect(message).toMatchObject({ roomId, body: 'bytes', actorId: ada.userId })
  })

  test('a binary request that fails is answered in JSON', async () => {
    const request = toBinary(GetRoomEventsRequestSchema, create(GetRoomEventsRequestSchema, { roomId: 'Rnowhere' }))
    const response = await send(pathOf(RoomService.method.getRoomEvents, prefix), 'application/proto', request)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { status, body } = await readAnswer(response)
    expect([404, 403]).toContain(status)
    expect(body).toMatchObject({
      code: expect.stringMatching(/^(not_found|permission_denied)$/),
      message: expect.any(String),
    })
  })
})

describe('compression', () => {
  const events = pathOf(RoomService.method.getRoomEvents)

  test('requests may be compressed', async () => {
    const body = gzipSync(JSON.stringify({ roomId, body: 'squeezed' }))
    const path = pathOf(MessageService.method.createMessage)
    const answer = await readAnswer(await send(path, 'application/json', body, { 'content-encoding': 'gzip' }))
    expect(answer).toMatchObject({ status: 200, body: { message: { body: 'squeezed' } } })
  })

  test('long responses are compressed if the client accepts it, short ones are not', async () => {
    await post(ada, roomId, 'long '.repeat(1_000))
    const request = toBinary(GetRoomEventsRequestSchema, create(GetRoomEventsRequestSchema, { roomId }))
    const long = await send(events, 'application/proto', request, { 'accept-encoding': 'gzip' })
    expect(long.headers.get('content-encoding')).toBe('gzip')
    const { page } = fromBinary(GetRoomEventsResponseSchema, new Uint8Array(await long.arrayBuffer()))
    expect(page?.events.length).toBeGreaterThan(2)
    const plain = await send(events, 'application/proto', request, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const short = await send(pathOf(RoomService.method.joinRoom), 'application/json', JSON.stringify({ roomId }), {
      'accept-encoding': 'gzip',
    })
    expect(short.status).toBe(200)
    expect(short.headers.get('content-encoding')).toBeNull()
  })
})

test('unknown fields, such as those of newer clients, are ignored', async () => {
  const body = JSON.stringify({ roomId, body: 'from the future', madeUpField: { a: 1 } })
  const answer = await readAnswer(await send(pathOf(MessageService.method.createMessage), 'application/json', body))
  expect(answer).toMatchObject({ status: 200, body: { message: { body: 'from the future' } } })
})

test('field names may be written as in the proto files', async () => {
  const body = JSON.stringify({ room_id: roomId, body: 'snake' })
  const answer = await readAnswer(await send(pathOf(MessageService.method.createMessage), 'application/json', body))
  expect(answer).toMatchObject({ status: 200, body: { message: { roomId } } })
})

test('pages of other origins may call methods, without cookies', async () => {
  const response = await fetch(fleet().gateways[0] + pathOf(ViewerService.method.getViewer), {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,connect-protocol-version,idempotency-key',
    },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  const allowed = response.headers
    .get('access-control-allow-headers')
    ?.toLowerCase()
    .split(/\s*,\s*/)
  expect(allowed).toEqual(
    expect.arrayContaining([
      'authorization',
      'content-type',
      'connect-protocol-version',
      'idempotency-key',
      'x-grpc-web',
    ]),
  )
})
