import { beforeAll, expect, test } from '@jest/globals'
import { Code, createClient } from '@connectrpc/connect'
import { AccountsInternalService, AdminInternalService } from '@parley/contracts/internal'
import { Health } from '@parley/runtime'
import { metricsText } from '@parley/telemetry'
import { headers } from 'nats'
import { eventually } from '@parley/tooling/eventually'
import type { Bus, RpcClient } from '../src/index.ts'
import { errorOf, gate, useFleet } from './_fleet.ts'

const fleet = useFleet()
let rpc: RpcClient
let bus: Bus
let release = gate()
let running = 0
let remainingMs = NaN
const health = new Health()
/** The time on the clocks of client and server. */
let at = 1_000_000
const clock = { now: () => at }

beforeAll(async () => {
  rpc = await fleet.client({ ...clock, defaultTimeoutMs: 3_600_000 })
  bus = await fleet.bus()
  await fleet.serve({
    ...clock,
    deployable: 'gateway',
    concurrency: 2,
    queueLimit: 3,
    health,
    routes: (routes) =>
      routes
        .service(AccountsInternalService, {
          passwordLogin: async () => {
            running++
            await release.opened
            running--
            return {}
          },
        })
        .service(AdminInternalService, {
          checkLogin: (_request, call) => {
            remainingMs = call.timeoutMs() ?? NaN
            return {}
          },
        }),
  })
})

const login = () => createClient(AccountsInternalService, rpc.transport()).passwordLogin({})
const queueIsFull = () => health.status().reasons.some((reason) => reason.includes('queue of calls'))

/** Calls refused because they waited too long. */
async function countLate(): Promise<number> {
  const [, count] =
    /^parley_rpc_server_not_started_total\{parley_reason="late"\} (\d+)$/m.exec(await metricsText()) ?? []
  return Number(count ?? 0)
}

test('calls above the limit wait; calls that find the queue full or wait too long are refused', async () => {
  release = gate()
  const before = await countLate()
  const first = [login(), login()]
  await eventually(() => running === 2)
  const waiting = [login(), login(), login()].map(errorOf)
  await eventually(queueIsFull)
  const shown = await metricsText()
  expect(shown).toContain('\nparley_rpc_server_calls{parley_service="gateway"} 2\n')
  expect(shown).toContain('\nparley_rpc_server_queue_waiting{parley_service="gateway"} 3\n')
  const refused = await errorOf(login())
  expect(refused.code).toBe(Code.Unavailable)
  expect(refused.metadata.get('parley-reason')).toBe('overloaded')
  at += 501
  // The client retries each call once, and the call waits again.
  await eventually(async () => (await countLate()) === before + 3 && queueIsFull())
  at += 501
  for (const error of await Promise.all(waiting)) {
    expect(error.code).toBe(Code.Unavailable)
    expect(error.metadata.get('parley-reason')).toBe('late')
  }
  expect(running).toBe(2)
  release.open()
  await Promise.all(first)
  expect(health.status().reasons).toEqual([])
  expect(await metricsText()).toMatch(/parley_rpc_server_not_started_total\{parley_reason="overloaded"/)
})

test('a waiting call starts when another ends', async () => {
  release = gate()
  const calls = [login(), login(), login(), login()]
  await eventually(() => running === 2)
  release.open()
  await Promise.all(calls)
  expect(await metricsText()).toMatch(/parley_rpc_server_queue_duration_seconds_count [1-9]/)
})

/** Sends a call with the time of the sender's own clock. Returns `ran`, or the control header of the refusal. */
async function send(sender: string, sentAt: number): Promise<string> {
  const control = headers()
  control.set('P', `${sender} ${sentAt} 5000 500 1`)
  const reply = await bus.nc.request('rpc.internal.svc_internal_v1_AdminInternalService.CheckLogin', new Uint8Array(), {
    headers: control,
    timeout: 30_000,
  })
  return reply.headers?.get('P') ?? 'ran'
}

test.each([0, 3_600_000_000, -3_600_000_000])(
  'calls of a client whose clock is %p ms off are served, and its late calls are refused',
  async (offset) => {
    const sender = `clock${offset}`
    const now = () => at + offset
    expect(await send(sender, now())).toBe('ran')
    expect(await send(sender, now())).toBe('ran')
    expect(await send(sender, now() - 10_000)).toBe('n late')
    expect(await send(sender, now())).toBe('ran')
  },
)

test('the transit time of a call counts against its deadline', async () => {
  expect(await send('slow', at)).toBe('ran')
  expect(remainingMs).toBe(5_000)
  expect(await send('slow', at - 400)).toBe('ran')
  expect(remainingMs).toBe(4_600)
})

test('a client whose clock is two hours off is served', async () => {
  for (const offset of [7_200_000, -7_200_000]) {
    const skewed = await fleet.client({ now: () => performance.now() + offset })
    await createClient(AdminInternalService, skewed.transport()).checkLogin({})
    await createClient(AdminInternalService, skewed.transport()).checkLogin({})
  }
})
