import { beforeAll, describe, expect, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient, type HandlerContext } from '@connectrpc/connect'
import { AccountsInternalService, AdminInternalService } from '@parley/contracts/internal'
import { headers, type MsgHdrs } from 'nats'
import { eventually } from '@parley/tooling/eventually'
import { createRpcClient, rpcSubject, type RpcClient } from '../src/index.ts'
import { errorOf, gate, startFleet, useFleet } from './_fleet.ts'

const fleet = useFleet()
let rpc: RpcClient
let work: (call: HandlerContext) => Promise<void>

beforeAll(async () => {
  rpc = await fleet.client()
  await fleet.serve({
    deployable: 'gateway',
    routes: (routes) =>
      routes.service(AdminInternalService, {
        checkLogin: async (_request, call) => {
          await work(call)
          return { blocked: true }
        },
      }),
  })
  // A subscriber that never replies, like a frozen process.
  const frozen = await fleet.bus()
  frozen.nc.subscribe('rpc.internal.svc_internal_v1_AccountsInternalService.*', { callback: () => {} })
  await frozen.nc.flush()
})

const check = (options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  createClient(AdminInternalService, rpc.transport()).checkLogin({}, options)

test('the handler gets the remaining time', async () => {
  let left = 0
  work = async (call) => void (left = call.timeoutMs() ?? NaN)
  await check({ timeoutMs: 123_456 })
  expect(left).toBeGreaterThan(60_000)
  expect(left).toBeLessThanOrEqual(123_456)
})

test('a handler that takes too long causes deadline_exceeded, and its signal is aborted', async () => {
  await using timed = await startFleet()
  let now = 0
  const clock = { now: () => now }
  const started = gate()
  const ended = gate()
  // Holds the handler back when its signal is aborted: otherwise its answer might arrive before the client gives up.
  const release = gate()
  let reason: unknown
  await timed.serve({
    ...clock,
    deployable: 'gateway',
    routes: (routes) =>
      routes.service(AdminInternalService, {
        checkLogin: async (_request, call) => {
          call.signal.addEventListener('abort', () => {
            reason = call.signal.reason
            ended.open()
          })
          started.open()
          await release.opened
          return { blocked: true }
        },
      }),
  })
  const client = createClient(AdminInternalService, (await timed.client(clock)).transport())
  const error = errorOf(client.checkLogin({}, { timeoutMs: 300 }))
  await started.opened
  now = 300
  expect((await error).code).toBe(Code.DeadlineExceeded)
  await ended.opened
  release.open()
  expect(ConnectError.from(reason).code).toBe(Code.DeadlineExceeded)
})

test('a server replies with an error when its handler was stopped by the signal', async () => {
  work = (call) => sleep(10_000, undefined, { signal: call.signal })
  // An RpcClient stops waiting at the same deadline, so the test itself sends the request and reads the replies.
  const bus = await fleet.bus()
  const replies: MsgHdrs[] = []
  bus.nc.subscribe('_INBOX.replies', { callback: (_error, msg) => void (msg.headers && replies.push(msg.headers)) })
  const control = headers()
  control.set('P', 'observer 0 150 150 1')
  const subject = rpcSubject(AdminInternalService.method.checkLogin)
  bus.nc.publish(subject, new Uint8Array(), { headers: control, reply: '_INBOX.replies' })
  await eventually(() => replies.length === 2)
  expect(replies.map((reply) => reply.get('P'))).toEqual(['s', 'e'])
})

test('the signal is also aborted when the call has ended, to stop work that it started', async () => {
  let signal: AbortSignal | undefined
  work = async (call) => void (signal = call.signal)
  await check()
  expect(signal?.aborted).toBe(true)
})

test('an abort ends the wait at once', async () => {
  const never = gate()
  work = () => never.opened
  const abort = new AbortController()
  const error = errorOf(check({ signal: abort.signal }))
  abort.abort()
  expect((await error).code).toBe(Code.Canceled)
  expect((await errorOf(check({ signal: abort.signal }))).code).toBe(Code.Canceled)
  never.open()
})

test('a call without remaining time is not sent', async () => {
  let ran = false
  work = async () => void (ran = true)
  expect((await errorOf(check({ timeoutMs: 0 }))).code).toBe(Code.DeadlineExceeded)
  work = async () => {}
  await check()
  expect(ran).toBe(false)
})

describe('without any reply', () => {
  const accounts = () => createClient(AccountsInternalService, rpc.transport())

  test('a call fails with unavailable at its deadline, because the caller cannot know what happened', async () => {
    const error = await errorOf(accounts().passwordLogin({}, { timeoutMs: 900 }))
    expect(error.code).toBe(Code.Unavailable)
    expect(error.metadata.get('parley-reason')).toBe('silence')
  })

  test('a call whose deadline is too short to expect a reply fails with deadline_exceeded', async () => {
    expect((await errorOf(accounts().passwordLogin({}, { timeoutMs: 200 }))).code).toBe(Code.DeadlineExceeded)
  })
})

test('disposing the client rejects pending and later calls', async () => {
  const never = gate()
  work = () => never.opened
  const other = createRpcClient(await fleet.bus(), { name: 'other' })
  const error = errorOf(createClient(AdminInternalService, other.transport()).checkLogin({}))
  await other[Symbol.asyncDispose]()
  expect((await error).code).toBe(Code.Unavailable)
  expect((await errorOf(createClient(AdminInternalService, other.transport()).checkLogin({}))).code).toBe(
    Code.Unavailable,
  )
  never.open()
})
