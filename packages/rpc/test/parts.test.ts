import { beforeAll, describe, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import {
  AdminInternalService,
  CheckLoginRequestSchema,
  GetPolicyResponseSchema,
  type GetPolicyResponse,
} from '@parley/contracts/internal'
import { headers } from 'nats'
import type { RpcClient } from '../src/index.ts'
import { errorOf, useFleet, stoppedClock } from './_fleet.ts'

const KiB = 1024
const MiB = 1024 * KiB

const fleet = useFleet()
let rpc: RpcClient
let size = 0
let refusal: string | undefined

beforeAll(async () => {
  rpc = await fleet.client(stoppedClock)
  await fleet.serve({
    ...stoppedClock,
    deployable: 'gateway',
    routes: (routes) =>
      routes.service(AdminInternalService, {
        getPolicy: (_request, call) => {
          if (refusal !== undefined) throw new ConnectError(refusal, Code.Aborted, { why: 'long' })
          call.responseHeader.set('size', String(size))
          return policyOf(Number(call.requestHeader.get('size') ?? size)).message
        },
        checkLogin: ({ login }) => ({ blocked: login.length > 0 }),
      }),
  })
})

const policies = new Map<number, { message: GetPolicyResponse; encoded: Uint8Array }>()

/** A policy with exactly the given number of bytes. */
function policyOf(bytes: number): { message: GetPolicyResponse; encoded: Uint8Array } {
  let policy = policies.get(bytes)
  for (let length = Math.max(0, bytes - 16); policy === undefined;) {
    const description = 'abcdefgh'.repeat(length / 8 + 1).slice(0, length)
    const message = create(GetPolicyResponseSchema, { roles: [{ description }] })
    const encoded = toBinary(GetPolicyResponseSchema, message)
    if (encoded.length === bytes) policies.set(bytes, (policy = { message, encoded }))
    else length += bytes - encoded.length
  }
  return policy
}

describe('a reply', () => {
  test.each([10, 1 * KiB, 256 * KiB - 1, 256 * KiB, 256 * KiB + 1, 1 * MiB, 15 * MiB + 7, 16 * MiB])(
    'of %p bytes arrives completely',
    async (bytes) => {
      size = bytes
      const { encoded } = policyOf(bytes)
      const reply = await rpc.call(AdminInternalService.method.getPolicy, new Uint8Array(), { timeoutMs: 20_000 })
      expect(reply.headers?.get('size')).toBe(String(bytes))
      expect(reply.body.length).toBe(bytes)
      expect(Buffer.compare(reply.body, encoded)).toBe(0)
    },
  )

  test('does not mix with concurrent replies', async () => {
    const sizes = [300 * KiB, 10, 900 * KiB, 2 * MiB, 256 * KiB + 1]
    const replies = sizes.map(async (bytes) => {
      const policy = await createClient(AdminInternalService, rpc.transport()).getPolicy(
        {},
        { headers: { size: String(bytes) } },
      )
      return toBinary(GetPolicyResponseSchema, policy).length
    })
    expect(await Promise.all(replies)).toEqual(sizes)
  })

  test('above 16 MiB is refused', async () => {
    size = 16 * MiB + 1
    const error = await errorOf(
      createClient(AdminInternalService, rpc.transport()).getPolicy({}, { timeoutMs: 20_000 }),
    )
    expect(error.code).toBe(Code.ResourceExhausted)
  })

  test('may be an error with a long message', async () => {
    refusal = 'x'.repeat(300 * KiB)
    const error = await errorOf(createClient(AdminInternalService, rpc.transport()).getPolicy({}))
    expect(error).toMatchObject({ code: Code.Aborted, rawMessage: refusal })
    expect(error.metadata.get('why')).toBe('long')
    refusal = undefined
  })
})

describe('a call fails with unavailable', () => {
  const method = AdminInternalService.method.denyPosting
  const answerWith = async (...parts: string[]) => {
    const bus = await fleet.bus()
    const subscription = bus.nc.subscribe('rpc.internal.svc_internal_v1_AdminInternalService.DenyPosting', {
      queue: 'gateway',
      callback: (_error, msg) => {
        for (const packed of parts) {
          const control = headers()
          control.set('P', packed)
          msg.respond(new Uint8Array([1]), { headers: control })
        }
      },
    })
    await bus.nc.flush()
    return { [Symbol.dispose]: () => subscription.unsubscribe() }
  }
  // The real server is in the same queue group; when it answers (unimplemented), the request is repeated.
  const request = async () => {
    const waiting = await fleet.client()
    for (;;) {
      try {
        return await waiting.call(method, new Uint8Array(), { timeoutMs: 60_000 })
      } catch (error) {
        if (ConnectError.from(error).code !== Code.Unimplemented) throw error
      }
    }
  }

  test.each([
    ['a part in the middle is lost', ['p 0 3 o', 'p 2 3 o']],
    ['the first part is lost', ['p 1 3 o', 'p 2 3 o']],
    ['the last part is lost', ['p 0 2 o']],
    ['there are too many parts', ['p 0 65 o']],
  ])('if %s', async (_name, parts) => {
    using _server = await answerWith(...parts)
    const error = await errorOf(request())
    expect(error.code).toBe(Code.Unavailable)
    expect(error.metadata.get('parley-reason')).toBe('part-lost')
  })

  test('if the reply is of an unknown kind', async () => {
    using _server = await answerWith('z')
    expect((await errorOf(request())).code).toBe(Code.Unavailable)
  })
})

describe('a request', () => {
  const check = (bytes: number) =>
    createClient(AdminInternalService, rpc.transport()).checkLogin({ login: 'x'.repeat(bytes) })
  const overhead =
    toBinary(CheckLoginRequestSchema, create(CheckLoginRequestSchema, { login: 'x'.repeat(MiB - 5) })).length -
    (MiB - 5)

  test('of 1 MiB is sent', async () => {
    expect(await check(MiB - overhead)).toMatchObject({ blocked: true })
  })

  test('above 1 MiB is not sent', async () => {
    expect((await errorOf(check(MiB - overhead + 1))).code).toBe(Code.ResourceExhausted)
  })
})
