import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Code, createClient } from '@connectrpc/connect'
import { AccountsInternalService, AdminInternalService } from '@parley/contracts/internal'
import { Health } from '@parley/runtime'
import { metricsText } from '@parley/telemetry'
import { headers } from 'nats'
import type { Bus, RpcClient } from '../src/index.ts'
import { eventually } from './_eventually.ts'
import { errorOf, gate, startFleet, type Fleet } from './_fleet.ts'

let fleet: Fleet
let rpc: RpcClient
let bus: Bus
let hold = gate()
let running = 0
let left = NaN
const health = new Health()

beforeAll(async () => {
  fleet = await startFleet()
  rpc = await fleet.client()
  bus = await fleet.bus()
  await fleet.serve({
    deployable: 'gateway',
    concurrency: 2,
    queueLimit: 3,
    health,
    routes: (routes) =>
      routes
        .service(AccountsInternalService, {
          passwordLogin: async () => {
            running++
            await hold.opened
            running--
            return {}
          },
        })
        .service(AdminInternalService, {
          checkLogin: (_request, call) => {
            left = call.timeoutMs() ?? NaN
            return {}
          },
        }),
  })
})

afterAll(async () => fleet[Symbol.asyncDispose]())

const login = () => createClient(AccountsInternalService, rpc.transport()).passwordLogin({})

test('beyond the places calls wait, beyond the queue they are refused; what waits too long is refused as well', async () => {
  hold = gate()
  const first = [login(), login()]
  await eventually(() => running === 2)
  const waiting = [login(), login(), login()].map(errorOf)
  await eventually(() => health.status().reasons.some((reason) => reason.includes('queue of calls')))
  const refused = await errorOf(login())
  expect(refused.code).toBe(Code.Unavailable)
  expect(refused.metadata.get('parley-reason')).toBe('overloaded')
  for (const error of await Promise.all(waiting)) {
    expect(error.code).toBe(Code.Unavailable)
    expect(['late', 'overloaded']).toContain(error.metadata.get('parley-reason'))
  }
  expect(running).toBe(2)
  hold.open()
  await Promise.all(first)
  expect(health.status().reasons).toEqual([])
  expect(await metricsText()).toMatch(/rpc_server_not_started_total\{.*reason="overloaded"/)
})

test('a place that becomes free goes to the one that waits', async () => {
  hold = gate()
  const calls = [login(), login(), login(), login()]
  await eventually(() => running === 2)
  hold.open()
  await Promise.all(calls)
  expect(await metricsText()).toMatch(/rpc_server_queue_wait_seconds_count/)
})

/** What a server answers to a request that a client with a clock of its own sent. */
async function ask(sender: string, sentAt: number): Promise<string> {
  const control = headers()
  control.set('P', `${sender} ${sentAt} 5000 500 1`)
  const reply = await bus.nc.request('rpc.internal.svc_internal_v1_AdminInternalService.CheckLogin', new Uint8Array(), {
    headers: control,
    timeout: 5_000,
  })
  return reply.headers?.get('P') ?? 'ran'
}

test.each([0, 3_600_000_000, -3_600_000_000])(
  'a clock that is %p ms off does not matter, a late call does',
  async (offset) => {
    const sender = `clock${offset}`
    const now = () => performance.now() + offset
    expect(await ask(sender, now())).toBe('ran')
    expect(await ask(sender, now())).toBe('ran')
    expect(await ask(sender, now() - 10_000)).toBe('n late')
    expect(await ask(sender, now())).toBe('ran')
  },
)

test('the time a call was on its way is taken from its deadline', async () => {
  expect(await ask('slow', performance.now())).toBe('ran')
  expect(left).toBeGreaterThan(4_500)
  expect(await ask('slow', performance.now() - 400)).toBe('ran')
  expect(left).toBeLessThanOrEqual(4_650)
})

test('a client with any clock is served', async () => {
  for (const offset of [7_200_000, -7_200_000]) {
    const skewed = await fleet.client({ now: () => performance.now() + offset })
    await createClient(AdminInternalService, skewed.transport()).checkLogin({})
    await createClient(AdminInternalService, skewed.transport()).checkLogin({})
  }
})
