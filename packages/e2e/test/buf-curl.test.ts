import { beforeAll, describe, expect, test } from '@jest/globals'
import { publicMethods, publicServices } from '@parley/contracts/catalogue'
import { bufCurl } from '../src/buf-curl.ts'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'

let owner: Person
let ada: Person
let roomId: string
beforeAll(async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner)
})

const schema = ['--schema', 'proto/image.binpb']
const reflectionArgs = (version: string) => ['--reflect', '--reflect-protocol', version]
const http2 = '--http2-prior-knowledge'

const transports: [string, string[]][] = [
  ['Connect over HTTP/1.1', ['--protocol', 'connect', ...schema]],
  ['Connect over HTTP/2, by reflection v1', ['--protocol', 'connect', http2, ...reflectionArgs('grpc-v1')]],
  ['gRPC', ['--protocol', 'grpc', http2, ...schema]],
  ['gRPC, by reflection v1', ['--protocol', 'grpc', http2, ...reflectionArgs('grpc-v1')]],
  ['gRPC, by reflection v1alpha', ['--protocol', 'grpc', http2, ...reflectionArgs('grpc-v1alpha')]],
  ['gRPC-Web over HTTP/1.1', ['--protocol', 'grpcweb', ...schema]],
  ['gRPC-Web over HTTP/2, by reflection v1alpha', ['--protocol', 'grpcweb', http2, ...reflectionArgs('grpc-v1alpha')]],
]

describe.each(transports)('%s', (_, args) => {
  const call = (
    prefix: string,
    method: string,
    request: object,
    credential = [`authorization: Bearer ${ada.token}`],
  ) => {
    const header = credential.flatMap((line) => ['-H', line])
    return bufCurl(
      ...args,
      ...header,
      '-d',
      JSON.stringify(request),
      `${fleet().gateways[1]}${prefix}/svc.api.v1.${method}`,
    )
  }

  test.each(['', '/api/connect'])('carries a conversation below "%s"', async (prefix) => {
    const joined = await call(prefix, 'RoomService/JoinRoom', { roomId })
    expect(joined).toMatchObject({ exit: 0, answer: { room: { id: roomId } } })
    const body = `hello ${args.join(' ')} ${prefix}`
    const posted = await call(prefix, 'MessageService/CreateMessage', { roomId, body })
    expect(posted).toMatchObject({ exit: 0, answer: { message: { roomId, actorId: ada.userId, body } } })
    const read = await call(prefix, 'RoomService/GetRoomEvents', { roomId, limit: 1 })
    expect(read).toMatchObject({ exit: 0, answer: { page: { events: [{ messagePosted: { message: { body } } }] } } })
  })

  test('buf exits with eight times the gRPC code of a failed call', async () => {
    const [absent, invalid, anonymous] = await Promise.all([
      call('', 'RoomService/JoinRoom', { roomId: 'Rnowhere' }),
      call('', 'RoomService/JoinRoom', {}),
      call('', 'RoomService/JoinRoom', { roomId }, []),
    ])
    expect(absent).toMatchObject({ exit: 5 * 8, error: { code: 'not_found', message: expect.any(String) } })
    expect(invalid).toMatchObject({ exit: 3 * 8, error: { code: 'invalid_argument' } })
    expect(anonymous).toMatchObject({ exit: 16 * 8, error: { code: 'unauthenticated' } })
  })
})

describe('reflection, without a credential', () => {
  const internal = /svc\.internal|google\.rpc/

  test.each(['', '/api/connect'])('lists the public services and methods at "%s"', async (prefix) => {
    const base = fleet().gateways[0] + prefix
    const services = (await bufCurl(http2, '--list-services', base)).answer as string
    expect(services.trim().split('\n').sort()).toEqual(publicServices.map(({ typeName }) => typeName).sort())
    const methods = (await bufCurl(http2, '--list-methods', base)).answer as string
    expect(methods.trim().split('\n')).toHaveLength(publicMethods.length)
    expect(methods).not.toMatch(internal)
  })

  test('does not describe the internal services', async () => {
    const { exit, error } = await bufCurl(
      ...[http2, '--reflect', '-d', '{}'],
      `${fleet().gateways[0]}/svc.internal.v1.AccountsInternalService/PasswordLogin`,
    )
    expect(exit).not.toBe(0)
    expect(JSON.stringify(error)).toMatch(/not found|could not be found|unresolved|failed to find/i)
  })
})

test.each([
  ['Connect', ['--protocol', 'connect']],
  ['gRPC', ['--protocol', 'grpc', http2]],
  ['gRPC-Web', ['--protocol', 'grpcweb']],
])('internal methods cannot be called over %s, even by an owner', async (_, args) => {
  for (const prefix of ['', '/api/connect']) {
    const { exit, error } = await bufCurl(
      ...[...args, '--schema', 'proto', '-H', `authorization: Bearer ${owner.token}`, '-d', '{}'],
      `${fleet().gateways[0]}${prefix}/svc.internal.v1.AdminInternalService/GetPolicy`,
    )
    expect([exit, error]).toEqual([12 * 8, expect.objectContaining({ code: 'unimplemented' })])
  }
})
