import { beforeAll, expect, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@connectrpc/connect'
import { AccountsInternalService } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import type { RpcClient, RpcServer } from '../src/index.ts'
import { errorOf, gate, useFleet, stoppedClock } from './_fleet.ts'

const fleet = useFleet()
let rpc: RpcClient

beforeAll(async () => {
  rpc = await fleet.client(stoppedClock)
})

const ran: string[] = []
const serve = (work: () => Promise<void>, drainTimeoutMs = 5_000): Promise<RpcServer> =>
  fleet.serve({
    ...stoppedClock,
    deployable: 'gateway',
    drainTimeoutMs,
    routes: (routes) =>
      routes.service(AccountsInternalService, {
        passwordLogin: async ({ identifier }) => {
          ran.push(identifier)
          await work()
          return { userId: identifier }
        },
      }),
  })

// A method that is not repeatable: its calls are lost unless the servers drain properly.
const login = (identifier: string) =>
  createClient(AccountsInternalService, rpc.transport()).passwordLogin({ identifier })

test('while calls arrive constantly, servers that drain one after another lose no call and run each once', async () => {
  let serving = await serve(() => sleep(5))
  let over = false
  const names: string[] = []
  const caller = async (who: number) => {
    for (let i = 0; !over; i++) {
      const name = `u${who}-${i}`
      names.push(name)
      expect((await login(name)).userId).toBe(name)
    }
  }
  const callers = Promise.all(Array.from({ length: 20 }, (_, who) => caller(who)))
  for (let i = 0; i < 5; i++) {
    const next = await serve(() => sleep(5))
    const before = ran.length
    await eventually(() => ran.length > before + 50)
    await serving[Symbol.asyncDispose]()
    serving = next
  }
  over = true
  await callers
  expect([...ran].sort()).toEqual([...names].sort())
  await serving[Symbol.asyncDispose]()
})

test('draining waits for running calls', async () => {
  const release = gate()
  const started = gate()
  const server = await serve(() => {
    started.open()
    return release.opened
  })
  const answer = login('slow')
  await started.opened
  let isDrained = false
  const drained = Promise.resolve(server[Symbol.asyncDispose]()).then(() => (isDrained = true))
  await eventually(async () => {
    expect((await errorOf(login('later'))).metadata.get('parley-reason')).toBe('no-owner')
  })
  // A drain that does not wait would end during these calls.
  for (let n = 0; n < 20; n++) await errorOf(login('later'))
  expect(isDrained).toBe(false)
  release.open()
  expect((await answer).userId).toBe('slow')
  await drained
})

test('draining waits for running calls only until the drain timeout', async () => {
  const never = gate()
  const started = gate()
  const server = await serve(() => {
    started.open()
    return never.opened
  }, 50)
  const answer = login('stuck')
  await started.opened
  await server[Symbol.asyncDispose]()
  never.open()
  expect((await answer).userId).toBe('stuck')
})
