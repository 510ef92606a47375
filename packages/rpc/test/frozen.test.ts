import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fork, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ConnectError, createClient } from '@connectrpc/connect'
import { RoomService } from '@parley/contracts/api'
import { AdminInternalService } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import type { RpcClient } from '../src/index.ts'
import { alice, startFleet, type Fleet } from './_fleet.ts'

let fleet: Fleet
let rpc: RpcClient
let child: ChildProcess
const ranHere: string[] = []
const reported: string[] = []
const ranThere = () => reported.filter((line) => line.startsWith('ran ')).map((line) => line.slice(4))

beforeAll(async () => {
  fleet = await startFleet()
  rpc = await fleet.client()
  child = fork(fileURLToPath(new URL('_server-process.ts', import.meta.url)), {
    execArgv: ['--import', import.meta.resolve('@parley/tooling/run-bundled')],
    env: { ...process.env, NATS_URL: fleet.nats.url },
  })
  child.on('message', (line) => reported.push(line as string))
  await fleet.serve({
    deployable: 'rooms',
    routes: (routes) =>
      routes
        .service(RoomService, {
          createRoom: (request) => {
            ranHere.push(request.name)
            return { room: { name: 'here' } }
          },
        })
        .service(AdminInternalService, {
          checkLogin: ({ login }) => {
            ranHere.push(login)
            return { blocked: true }
          },
        }),
  })
  await eventually(() => reported.includes('ready'))
})

afterAll(async () => {
  child.kill('SIGKILL')
  await fleet[Symbol.asyncDispose]()
})

const check = (login: string) => createClient(AdminInternalService, rpc.transport()).checkLogin({ login })
const create = (name: string, options: { headers?: Record<string, string>; timeoutMs?: number } = {}) =>
  createClient(RoomService, rpc.transport({ caller: alice })).createRoom({ name, groupId: 'G1' }, options)

/** Repeats a call until it is not refused as late; a busy server may refuse both of its attempts. */
async function retryIfLate<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (ConnectError.from(error).metadata.get('parley-reason') !== 'late') throw error
    }
  }
}

/** Measures the longest round trip over the bus. */
async function watchRoundTrips() {
  const { nc } = await fleet.bus()
  let longest = 0
  let over = false
  const watching = (async () => {
    while (!over) {
      const sentAt = performance.now()
      await nc.flush()
      await sleep(5)
      longest = Math.max(longest, performance.now() - sentAt)
    }
  })()
  return async () => {
    over = true
    await watching
    return longest
  }
}

test('two processes share the calls', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `shared${i}`)
  await Promise.all(names.map(check))
  await eventually(() => names.every((name) => ranHere.includes(name) || ranThere().includes(name)))
  expect(ranThere().length).toBeGreaterThan(0)
  expect(ranHere.length).toBeGreaterThan(0)
})

test('while one of two processes is frozen, repeatable calls succeed and run once, even after it resumes', async () => {
  // The first call of a method takes longest.
  for (let i = 0; i < 10; i++) await create(`first${i}`)
  const longestRoundTrip = await watchRoundTrips()
  child.kill('SIGSTOP')
  const reads = Array.from({ length: 20 }, (_, i) => `read${i}`)
  const keyed = Array.from({ length: 20 }, (_, i) => `keyed${i}`)
  const bare = Array.from({ length: 20 }, (_, i) => `bare${i}`)
  const outcomes = await Promise.all([
    Promise.all(reads.map((name) => retryIfLate(() => check(name)))),
    Promise.all(keyed.map((name) => retryIfLate(() => create(name, { headers: { 'Idempotency-Key': name } })))),
    Promise.all(
      bare.map((name) =>
        create(name, { timeoutMs: 5_000 }).then(
          () => [name],
          () => [],
        ),
      ),
    ),
  ])
  expect(outcomes[1].map((reply) => reply.room?.name)).toEqual(keyed.map(() => 'here'))
  const answered = outcomes[2].flat()
  expect(answered.length).toBeLessThan(bare.length)
  // On a very slow machine a live server may answer too late, so that a repeated request runs twice.
  const isFast = (await longestRoundTrip()) < 200

  child.kill('SIGCONT')
  await eventually(async () => {
    await check('after').catch(() => undefined)
    return ranThere().includes('after')
  })
  const ranThereNow = ranThere().map((line) => line.split(' ')[0] ?? '')
  const ran = [...ranHere, ...ranThereNow]
  for (const name of [...reads, ...keyed, ...answered]) {
    expect(ranHere).toContain(name)
    expect(ranThereNow).not.toContain(name)
    if (isFast) expect([name, ran.filter((one) => one === name)]).toEqual([name, [name]])
  }
  for (const name of bare) if (!answered.includes(name)) expect(ran).not.toContain(name)
})
