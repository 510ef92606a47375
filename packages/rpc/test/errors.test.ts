import { beforeAll, describe, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { encodeCaller } from '@parley/credentials'
import { AdminInternalService } from '@parley/contracts/internal'
import { CreateRoomRequestSchema, RoomService, VoiceCallService } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { BadRequestSchema, RetryInfoSchema } from '@parley/contracts/rpc'
import { callerOf, idempotencyKeyOf, type RpcClient } from '../src/index.ts'
import { alice, errorOf, useFleet } from './_fleet.ts'

const fleet = useFleet()
let rpc: RpcClient
let fail: () => never

beforeAll(async () => {
  rpc = await fleet.client()
  await fleet.serve({
    deployable: 'rooms',
    routes: (routes) =>
      routes
        .service(RoomService, {
          createRoom: (request, call) => {
            const caller = callerOf(call)
            call.responseHeader.set('Idempotency-Replayed', 'true')
            call.responseTrailer.set('kept', 'yes')
            const description = JSON.stringify([caller, idempotencyKeyOf(call)], (_key, value: unknown) =>
              typeof value === 'bigint' ? String(value) : value,
            )
            return { room: { name: request.name, description } }
          },
        })
        .service(AdminInternalService, { checkLogin: () => fail() }),
  })
  await fleet.serve({ deployable: 'admin', routes: () => {} })
})

const rooms = (caller = alice) => createClient(RoomService, rpc.transport({ caller }))
const check = () => createClient(AdminInternalService, rpc.transport()).checkLogin({ login: 'x' })

describe('an answer', () => {
  test('arrives with headers and trailers, and the handler gets caller and key', async () => {
    let headers = new Headers()
    let trailers = new Headers()
    const { room } = await rooms().createRoom(
      { name: 'plans', groupId: 'G1' },
      {
        headers: { 'Idempotency-Key': 'k1' },
        onHeader: (received) => void (headers = received),
        onTrailer: (received) => void (trailers = received),
      },
    )
    expect(room?.name).toBe('plans')
    expect(JSON.parse(room?.description ?? '')).toEqual([
      JSON.parse(JSON.stringify({ ...alice, rolesVersion: '7' })),
      'k1',
    ])
    expect(headers.get('idempotency-replayed')).toBe('true')
    expect(headers.has('trailer-kept')).toBe(false)
    expect(trailers.get('kept')).toBe('yes')
  })
})

describe('an error', () => {
  test('keeps code, message, details and metadata', async () => {
    const retry = { retryDelay: { seconds: 3n, nanos: 0 } }
    fail = () => {
      const details = [{ desc: RetryInfoSchema, value: retry }]
      throw new ConnectError(
        'not so fast, Zoë',
        Code.ResourceExhausted,
        { 'Retry-After': '3', 'x-bin': 'AAE' },
        details,
      )
    }
    const error = await errorOf(check())
    expect(error.code).toBe(Code.ResourceExhausted)
    expect(error.rawMessage).toBe('not so fast, Zoë')
    expect(error.findDetails(RetryInfoSchema)).toEqual([create(RetryInfoSchema, retry)])
    expect(error.metadata.get('retry-after')).toBe('3')
    expect(error.metadata.get('x-bin')).toBe('AAE')
  })

  test.each(
    Object.values(Code).filter((code) => typeof code === 'number' && code !== Code.Internal && code !== Code.Unknown),
  )('keeps code %p', async (code) => {
    fail = () => {
      throw new ConnectError('because', Number(code))
    }
    expect(await errorOf(check())).toMatchObject({ code, rawMessage: 'because' })
  })

  test('with details from another server is forwarded completely', async () => {
    fail = () => {
      const upstream = new ConnectError('elsewhere', Code.Aborted)
      upstream.details.push({ type: 'acme.Thing', value: new Uint8Array([1, 2, 255]) })
      throw upstream
    }
    const error = await errorOf(check())
    expect(error.details).toEqual([{ type: 'acme.Thing', value: new Uint8Array([1, 2, 255]) }])
  })

  test.each([
    ['an unknown error', new Error('secret of the database')],
    ['an internal error', new ConnectError('secret of the database', Code.Internal)],
    ['a thrown string', 'secret of the database'],
  ])('caused by a bug reveals nothing: %s', async (_name, thrown) => {
    fail = () => {
      throw thrown // oxlint-disable-line typescript/only-throw-error -- a bug may throw anything
    }
    expect(await errorOf(check())).toMatchObject({ code: Code.Internal, rawMessage: 'internal server error' })
  })

  test('of an unreachable database is unavailable', async () => {
    fail = () => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    }
    expect((await errorOf(check())).code).toBe(Code.Unavailable)
  })

  test('thrown by a handler loses its parley-reason, which only the transport sets', async () => {
    fail = () => {
      throw new ConnectError('nobody', Code.Unavailable, { 'parley-reason': 'no-owner' })
    }
    expect((await errorOf(check())).metadata.has('parley-reason')).toBe(false)
  })
})

describe('the order of checks', () => {
  const raw = (method: Parameters<RpcClient['call']>[0], body: Uint8Array, caller?: string) =>
    errorOf(rpc.call(method, body, { timeoutMs: 30_000, caller }))
  const garbage = new Uint8Array([0xff, 0xff, 0xff])
  const encoded = encodeCaller(alice)

  test('the caller is checked before the implementation', async () => {
    expect((await raw(RoomService.method.archiveRoom, garbage)).code).toBe(Code.Unauthenticated)
    expect((await raw(RoomService.method.archiveRoom, garbage, 'bm9ib2R5')).code).toBe(Code.Unauthenticated)
  })

  test('the implementation is checked before the body', async () => {
    const error = await raw(RoomService.method.archiveRoom, garbage, encoded)
    expect(error).toMatchObject({
      code: Code.Unimplemented,
      rawMessage: 'RoomService.ArchiveRoom is not available yet',
    })
  })

  test('discovery needs no caller', async () => {
    const [method] = ServerDiscoveryService.methods
    expect((await raw(method as typeof ServerDiscoveryService.method.getServer, garbage)).code).toBe(Code.Unimplemented)
  })

  test('undecodable bytes are an invalid argument', async () => {
    const error = await raw(RoomService.method.createRoom, garbage, encoded)
    expect(error).toMatchObject({ code: Code.InvalidArgument, rawMessage: 'the request cannot be decoded' })
  })

  test('violated rules are reported with their fields', async () => {
    const body = toBinary(CreateRoomRequestSchema, create(CreateRoomRequestSchema, { name: 'x'.repeat(31) }))
    const error = await raw(RoomService.method.createRoom, body, encoded)
    expect(error.code).toBe(Code.InvalidArgument)
    const [detail] = error.findDetails(BadRequestSchema)
    const violations = detail?.fieldViolations.map(({ field, description }) => [field, description])
    expect(violations).toEqual([
      ['name', expect.stringContaining('(string.max_len)')],
      ['group_id', expect.stringContaining('(string.min_len)')],
    ])
    expect(error.rawMessage).toContain('name: ')
  })

  test('a request without the control header is refused', async () => {
    const bus = await fleet.bus()
    const reply = await bus.nc.request('rpc.svc_api_v1_RoomService.CreateRoom', garbage, { timeout: 30_000 })
    expect(reply.headers?.get('P')).toBe('e')
  })
})

test('a call of a method that no server answers fails with unavailable and a reason', async () => {
  const missing = await errorOf(
    createClient(VoiceCallService, rpc.transport({ caller: alice })).joinCall({ roomId: 'R1' }),
  )
  expect(missing.code).toBe(Code.Unavailable)
  expect(missing.metadata.get('parley-reason')).toBe('no-owner')
})
