import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { mayCall, services } from '@parley/contracts/catalogue'
import { deployableNames } from '@parley/contracts/deployables'
import { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { createRpcClient, Neighbours, rpcSubject } from '../src/index.ts'
import { errorOf, gate, startFleet, timeless, type Fleet } from './_fleet.ts'

const answered = Object.values(services).flatMap((owned: Record<string, DescService>) => Object.values(owned))
const methods = [...new Set(answered)].flatMap((service) => service.methods)

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})

afterAll(async () => fleet[Symbol.asyncDispose]())

type Login = (identifier: string) => Promise<string> | string

/** Accounts in the same process as its callers. */
const serve = (neighbours: Neighbours | undefined, login: Login) =>
  fleet.serve({
    ...timeless,
    deployable: 'accounts',
    neighbours,
    routes: (routes) =>
      routes.service(AccountsInternalService, {
        passwordLogin: async ({ identifier }) => ({ userId: await login(identifier) }),
      }),
  })

const loginBy = async (neighbours: Neighbours | undefined, name = 'gateway') => {
  const rpc = await fleet.client({ ...timeless, name, neighbours })
  const client = createClient(AccountsInternalService, rpc.transport())
  return async (identifier: string) => (await client.passwordLogin({ identifier })).userId
}

test('a deployable in the same process is called in memory, even while the bus is down', async () => {
  const neighbours = new Neighbours()
  const login = await loginBy(neighbours)
  const elsewhere = await serve(undefined, () => 'another process')
  const here = await serve(neighbours, (identifier) => `${identifier} here`)
  for (const name of ['alice', 'bob', 'carol', 'dave']) expect(await login(name)).toBe(`${name} here`)
  await fleet.nats.stop()
  expect(await login('erin')).toBe('erin here')
  await fleet.nats.start()
  await here[Symbol.asyncDispose]()
  await eventually(async () => expect(await login('frank')).toBe('another process'))
  await elsewhere[Symbol.asyncDispose]()
})

test('a call in memory survives the loss of the bus', async () => {
  const neighbours = new Neighbours()
  const [begun, busy] = [gate(), gate()]
  await using _ = await serve(neighbours, async () => {
    begun.open()
    await busy.opened
    return 'here'
  })
  const rpc = await fleet.bus({ name: 'gateway' })
  const client = createRpcClient(rpc, { ...timeless, name: 'gateway', neighbours, defaultTimeoutMs: 30_000 })
  const answer = createClient(AccountsInternalService, client.transport()).passwordLogin({ identifier: 'alice' })
  await begun.opened
  const lost = new Promise<void>((resolve) => rpc.onDisconnect(resolve))
  await fleet.nats.stop()
  await lost
  await fleet.nats.start()
  busy.open()
  expect((await answer).userId).toBe('here')
  await client[Symbol.asyncDispose]()
})

test('a call refused by a busy deployable in the same process is answered by another process', async () => {
  const neighbours = new Neighbours()
  const [begun, busy] = [gate(), gate()]
  await using _here = await fleet.serve({
    ...{ ...timeless, deployable: 'accounts', neighbours, concurrency: 1, queueLimit: 0 },
    routes: (routes) =>
      routes.service(AccountsInternalService, {
        passwordLogin: async () => {
          begun.open()
          await busy.opened
          return { userId: 'here' }
        },
      }),
  })
  const login = await loginBy(neighbours)
  const first = login('alice')
  await begun.opened
  // The bus may choose the busy process first; then the call has been refused twice.
  await using _another = await serve(undefined, () => 'another process')
  await eventually(async () => expect(await login('bob')).toBe('another process'))
  busy.open()
  expect(await first).toBe('here')
})

test('a deployable may call in memory the methods that it may call over the bus', async () => {
  const conf = await readFile(new URL('../../../deploy/nats/parley.conf', import.meta.url), 'utf8')
  for (const caller of deployableNames) {
    const [, granted = ''] = new RegExp(`user: "${caller}"[^]*?publish: (.*?)subscribe:`, 's').exec(conf) ?? []
    const patterns = [...granted.matchAll(/"(rpc\.[^"]+)"/g)].map(([, subject = '']) => subject.split('.'))
    const mayPublish = (subject: string) => {
      const tokens = subject.split('.')
      return patterns.some(
        (pattern) => pattern.length === tokens.length && pattern.every((one, i) => one === '*' || one === tokens[i]),
      )
    }
    for (const method of methods)
      expect([caller, rpcSubject(method), mayCall(caller, method)]).toEqual([
        ...[caller, rpcSubject(method)],
        mayPublish(rpcSubject(method)),
      ])
  }
})

test('an error keeps its code, message, metadata and details', async () => {
  const neighbours = new Neighbours()
  const thrown = new ConnectError('no such name', Code.NotFound, { 'retry-after': '5' })
  thrown.details = [{ type: 'google.protobuf.Empty', value: new Uint8Array(0) }]
  await using _ = await serve(neighbours, () => Promise.reject(thrown))
  const [overBus, inMemory] = [await loginBy(undefined), await loginBy(neighbours)]
  const [one, other] = [await errorOf(overBus('x')), await errorOf(inMemory('x'))]
  const facts = ({ code, rawMessage, details, metadata }: ConnectError) => ({
    ...{ code, rawMessage, details },
    retryAfter: metadata.get('retry-after'),
  })
  expect(facts(other)).toEqual(facts(one))
  expect(other).toMatchObject({ code: Code.NotFound, rawMessage: 'no such name' })
})

test('an answer of several parts arrives completely', async () => {
  const neighbours = new Neighbours()
  const long = 'x'.repeat(900_000)
  await using _ = await serve(neighbours, () => long)
  expect(await (await loginBy(neighbours))('x')).toBe(long)
})

test('a method that the manifest does not let the caller call is refused', async () => {
  const neighbours = new Neighbours()
  let ran = false
  await using _ = await serve(neighbours, () => {
    ran = true
    return ''
  })
  const error = await errorOf((await loginBy(neighbours, 'calls'))('x'))
  expect([error.code, error.rawMessage]).toEqual([
    Code.PermissionDenied,
    'calls may not call AccountsInternalService.PasswordLogin',
  ])
  expect(ran).toBe(false)
})

test('while a deployable drains, another process is called, and running calls are finished', async () => {
  const neighbours = new Neighbours()
  const [begun, busy] = [gate(), gate()]
  const here = await serve(neighbours, async () => {
    begun.open()
    await busy.opened
    return 'here'
  })
  const login = await loginBy(neighbours)
  const running = login('alice')
  await begun.opened
  await using _ = await serve(undefined, () => 'another process')
  const drained = here[Symbol.asyncDispose]()
  expect(await login('bob')).toBe('another process')
  busy.open()
  expect(await running).toBe('here')
  await drained
})

test('a call that is aborted or reaches its deadline ends at once', async () => {
  const neighbours = new Neighbours()
  const begun = gate()
  await using _ = await fleet.serve({
    deployable: 'rooms',
    neighbours,
    drainTimeoutMs: 0,
    routes: (routes) =>
      routes.service(RoomsInternalService, {
        getRooms: () => {
          begun.open()
          return new Promise(() => undefined)
        },
      }),
  })
  const rpc = await fleet.client({ name: 'calls', neighbours })
  const rooms = createClient(RoomsInternalService, rpc.transport())
  const giveUp = new AbortController()
  const first = errorOf(rooms.getRooms({}, { signal: giveUp.signal }))
  await begun.opened
  giveUp.abort()
  expect((await first).code).toBe(Code.Canceled)
  expect((await errorOf(rooms.getRooms({}, { timeoutMs: 60 }))).code).toBe(Code.DeadlineExceeded)
})
