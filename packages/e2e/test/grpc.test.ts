import { join } from 'node:path'
import { credentials, type GrpcObject, loadPackageDefinition, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { repositoryRoot } from '@parley/local'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, roomName } from '../src/rooms.ts'

type Unary = (
  request: object,
  metadata: Metadata,
  options: object,
  done: (error: ServiceError | null, answer: object) => void,
) => void
type Stub = Record<string, Unary> & { close(): void }
type StubClass = new (address: string, creds: ReturnType<typeof credentials.createInsecure>, options?: object) => Stub

const proto = join(repositoryRoot(), 'proto')
const definition = loadPackageDefinition(
  loadSync(
    ['rooms', 'messages', 'room_directory', 'viewer'].map((name) => `svc/api/v1/${name}.proto`),
    { includeDirs: [proto], longs: String, enums: String, oneofs: true },
  ),
)

const stubs: Stub[] = []
afterAll(() => stubs.forEach((stub) => stub.close()))

function stubOf(service: string, gateway = fleet().gateways[0]): Stub {
  const { v1 } = (definition.svc as GrpcObject).api as GrpcObject
  const Class = (v1 as unknown as Record<string, StubClass>)[service]
  if (Class === undefined) throw new Error(`no service ${service}`)
  const stub = new Class(new URL(gateway).host, credentials.createInsecure())
  stubs.push(stub)
  return stub
}

function ask<T = object>(
  stub: Stub,
  method: string,
  request: object,
  person?: Person,
  options: object = {},
): Promise<T> {
  const metadata = new Metadata()
  if (person !== undefined) metadata.set('authorization', `Bearer ${person.token}`)
  return new Promise((resolve, reject) => {
    stub[method]?.(request, metadata, { deadline: Date.now() + 15_000, ...options }, (error, answer) =>
      error === null ? resolve(answer as T) : reject(error),
    )
  })
}

let ada: Person
let bob: Person
let roomId: string
beforeAll(async () => {
  const people = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  ;[, ada, bob] = people
  roomId = await newRoom(people[0], [ada])
})

test('clients have a conversation through both gateways', async () => {
  const [one, other] = fleet().gateways
  const joined = await ask(stubOf('RoomService', one), 'joinRoom', { roomId }, bob)
  expect(joined).toMatchObject({ room: { id: roomId, kind: 'ROOM_KIND_CHANNEL' } })
  const posted = await ask<{ message: { id: string } }>(
    ...([stubOf('MessageService', one), 'createMessage', { roomId, body: 'over gRPC' }, bob] as const),
  )
  const read = await ask(stubOf('MessageService', other), 'getMessage', { roomId, eventId: posted.message.id }, ada)
  expect(read).toMatchObject({ message: { body: 'over gRPC', actorId: bob.userId } })
  const events = await ask<{ page: { events: { event: string }[]; startCursor: string } }>(
    ...([stubOf('RoomService', other), 'getRoomEvents', { roomId, limit: 2 }, ada] as const),
  )
  expect(events.page.events.map(({ event }) => event)).toEqual(['userJoinedRoom', 'messagePosted'])
  const older = await ask<{ page: { events: { event: string }[] } }>(
    ...([stubOf('RoomService', one), 'getRoomEvents', { roomId, before: events.page.startCursor }, ada] as const),
  )
  expect(older.page.events.map(({ event }) => event)).toEqual(['roomCreated', 'userJoinedRoom', 'userJoinedRoom'])
})

test('concurrent calls over one connection each get their own response', async () => {
  const messages = stubOf('MessageService')
  const bodies = Array.from({ length: 40 }, (_, i) => `number ${i}`)
  const posted = await Promise.all(
    bodies.map((body) =>
      ask<{ message: { id: string; body: string } }>(messages, 'createMessage', { roomId, body }, ada),
    ),
  )
  expect(posted.map(({ message }) => message.body)).toEqual(bodies)
  expect(new Set(posted.map(({ message }) => message.id)).size).toBe(40)
})

describe('failures', () => {
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: ServiceError) => error,
    )

  test('carry their gRPC code', async () => {
    const rooms = stubOf('RoomService')
    const codes = await Promise.all([
      failure(ask(rooms, 'joinRoom', { roomId })),
      failure(ask(rooms, 'joinRoom', { roomId: '' }, ada)),
      failure(ask(rooms, 'joinRoom', { roomId: 'Rnowhere' }, ada)),
      failure(ask(rooms, 'createRoom', { name: roomName(), groupId: 'Gnowhere' }, ada)),
    ])
    expect(codes.slice(0, 3).map((error) => error?.code)).toEqual([
      ...[status.UNAUTHENTICATED, status.INVALID_ARGUMENT, status.NOT_FOUND],
    ])
    expect([status.PERMISSION_DENIED, status.NOT_FOUND]).toContain(codes[3]?.code)
    expect(codes.every((error) => (error?.details.length ?? 0) > 0)).toBe(true)
  })

  test('name the fields that break a rule', async () => {
    const error = await failure(ask(stubOf('RoomService'), 'joinRoom', { roomId: '' }, ada))
    const [details] = error?.metadata.get('grpc-status-details-bin') ?? []
    expect(details).toBeInstanceOf(Buffer)
    expect((details as Buffer).toString('latin1')).toContain('google.rpc.BadRequest')
    expect((details as Buffer).toString('latin1')).toMatch(/room_id|roomId/)
  })

  test('an expired deadline fails with DEADLINE_EXCEEDED', async () => {
    const error = await failure(ask(stubOf('ViewerService'), 'getViewer', {}, ada, { deadline: Date.now() }))
    expect(error?.code).toBe(status.DEADLINE_EXCEEDED)
  })

  test('a method that does not exist is unimplemented', async () => {
    const rooms = stubOf('RoomService')
    const path = '/svc.api.v1.RoomService/NoSuchMethod'
    const error = await failure(
      new Promise((_, reject) => {
        const client = rooms as unknown as {
          makeUnaryRequest(
            path: string,
            to: () => Buffer,
            from: (b: Buffer) => Buffer,
            request: object,
            done: (error: ServiceError | null) => void,
          ): void
        }
        client.makeUnaryRequest(
          path,
          () => Buffer.alloc(0),
          (answer) => answer,
          {},
          reject,
        )
      }),
    )
    expect(error?.code).toBe(status.UNIMPLEMENTED)
  })
})

test('metadata carries the idempotency key', async () => {
  const messages = stubOf('MessageService')
  const send = () =>
    new Promise<{ id: string; replayed: unknown }>((resolve, reject) => {
      const metadata = new Metadata()
      metadata.set('authorization', `Bearer ${ada.token}`)
      metadata.set('idempotency-key', `grpc-${roomId}`)
      let replayed: unknown
      const call = messages.createMessage?.({ roomId, body: 'once' }, metadata, {}, (error, answer) =>
        error === null ? resolve({ id: (answer as { message: { id: string } }).message.id, replayed }) : reject(error),
      ) as unknown as { on(event: 'metadata', listener: (metadata: Metadata) => void): void }
      call.on('metadata', (headers) => (replayed = headers.get('idempotency-replayed')[0]))
    })
  const first = await send()
  const again = await send()
  expect(first.replayed).toBeUndefined()
  expect(again).toEqual({ id: first.id, replayed: 'true' })
})
