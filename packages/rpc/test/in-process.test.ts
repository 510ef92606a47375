import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import type { DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { mayCall, services } from '@parley/contracts/catalogue'
import { deployableNames } from '@parley/contracts/deployables'
import { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { createRpcClient, InProcessRegistry, rpcSubject } from '../src/index.ts'
import { errorOf, gate, useFleet, stoppedClock } from './_fleet.ts'

const ownedServices = Object.values(services).flatMap((owned: Record<string, DescService>) => Object.values(owned))
const methods = [...new Set(ownedServices)].flatMap((service) => service.methods)

const fleet = useFleet()

type Login = (identifier: string) => Promise<string> | string

/** Serves accounts: in the process of its callers if `inProcess` is given, otherwise only over the bus. */
const serve = (inProcess: InProcessRegistry | undefined, login: Login) =>
  fleet.serve({
    ...stoppedClock,
    deployable: 'accounts',
    inProcess,
    routes: (routes) =>
      routes.service(AccountsInternalService, {
        passwordLogin: async ({ identifier }) => ({ userId: await login(identifier) }),
      }),
  })

const loginBy = async (inProcess: InProcessRegistry | undefined, name = 'gateway') => {
  const rpc = await fleet.client({ ...stoppedClock, name, inProcess })
  const client = createClient(AccountsInternalService, rpc.transport())
  return async (identifier: string) => (await client.passwordLogin({ identifier })).userId
}

test('a deployable in the same process is called in memory, even while the bus is down', async () => {
  const inProcess = new InProcessRegistry()
  const login = await loginBy(inProcess)
  const elsewhere = await serve(undefined, () => 'another process')
  const here = await serve(inProcess, (identifier) => `${identifier} here`)
  for (const name of ['alice', 'bob', 'carol', 'dave']) expect(await login(name)).toBe(`${name} here`)
  await fleet.nats.stop()
  expect(await login('erin')).toBe('erin here')
  await fleet.nats.start()
  await here[Symbol.asyncDispose]()
  await eventually(async () => expect(await login('frank')).toBe('another process'))
  await elsewhere[Symbol.asyncDispose]()
})

test('a call in memory survives the loss of the bus', async () => {
  const inProcess = new InProcessRegistry()
  const [started, release] = [gate(), gate()]
  await using _ = await serve(inProcess, async () => {
    started.open()
    await release.opened
    return 'here'
  })
  const bus = await fleet.bus({ name: 'gateway' })
  const client = createRpcClient(bus, { ...stoppedClock, name: 'gateway', inProcess, defaultTimeoutMs: 30_000 })
  const answer = createClient(AccountsInternalService, client.transport()).passwordLogin({ identifier: 'alice' })
  await started.opened
  const lost = new Promise<void>((resolve) => bus.onDisconnect(resolve))
  await fleet.nats.stop()
  await lost
  await fleet.nats.start()
  release.open()
  expect((await answer).userId).toBe('here')
  await client[Symbol.asyncDispose]()
})

test('a call refused by a busy deployable in the same process is answered by another process', async () => {
  const inProcess = new InProcessRegistry()
  const [started, release] = [gate(), gate()]
  await using _here = await fleet.serve({
    ...{ ...stoppedClock, deployable: 'accounts', inProcess, concurrency: 1, queueLimit: 0 },
    routes: (routes) =>
      routes.service(AccountsInternalService, {
        passwordLogin: async () => {
          started.open()
          await release.opened
          return { userId: 'here' }
        },
      }),
  })
  const login = await loginBy(inProcess)
  const first = login('alice')
  await started.opened
  // The bus may choose the busy process too. Then the call is refused a second time and fails, and the test repeats it.
  await using _another = await serve(undefined, () => 'another process')
  await eventually(async () => expect(await login('bob')).toBe('another process'))
  release.open()
  expect(await first).toBe('here')
})

test('a deployable may call the same methods in memory as over the bus', async () => {
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
  const inProcess = new InProcessRegistry()
  const thrown = new ConnectError('no such name', Code.NotFound, { 'retry-after': '5' })
  thrown.details = [{ type: 'google.protobuf.Empty', value: new Uint8Array(0) }]
  await using _ = await serve(inProcess, () => Promise.reject(thrown))
  const [overBus, inMemory] = [await loginBy(undefined), await loginBy(inProcess)]
  const [one, other] = [await errorOf(overBus('x')), await errorOf(inMemory('x'))]
  const fieldsOf = ({ code, rawMessage, details, metadata }: ConnectError) => ({
    ...{ code, rawMessage, details },
    retryAfter: metadata.get('retry-after'),
  })
  expect(fieldsOf(other)).toEqual(fieldsOf(one))
  expect(fieldsOf(other)).toMatchObject({
    ...{ code: Code.NotFound, rawMessage: 'no such name', retryAfter: '5' },
    details: [{ type: 'google.protobuf.Empty' }],
  })
})

test('an answer of several parts arrives completely', async () => {
  const inProcess = new InProcessRegistry()
  const long = 'x'.repeat(900_000)
  await using _ = await serve(inProcess, () => long)
  expect(await (await loginBy(inProcess))('x')).toBe(long)
})

test('a call that its deployable is not allowed to make is refused', async () => {
  const inProcess = new InProcessRegistry()
  let ran = false
  await using _ = await serve(inProcess, () => {
    ran = true
    return ''
  })
  const error = await errorOf((await loginBy(inProcess, 'calls'))('x'))
  expect([error.code, error.rawMessage]).toEqual([
    Code.PermissionDenied,
    'the deployable calls is not allowed to call AccountsInternalService.PasswordLogin',
  ])
  expect(ran).toBe(false)
})

test('while a deployable drains, another process is called, and running calls are finished', async () => {
  const inProcess = new InProcessRegistry()
  const [started, release] = [gate(), gate()]
  const here = await serve(inProcess, async () => {
    started.open()
    await release.opened
    return 'here'
  })
  const login = await loginBy(inProcess)
  const running = login('alice')
  await started.opened
  await using _ = await serve(undefined, () => 'another process')
  const drained = here[Symbol.asyncDispose]()
  expect(await login('bob')).toBe('another process')
  release.open()
  expect(await running).toBe('here')
  await drained
})

test('a call that is aborted or reaches its deadline ends at once', async () => {
  const inProcess = new InProcessRegistry()
  const started = gate()
  await using _ = await fleet.serve({
    deployable: 'rooms',
    inProcess,
    drainTimeoutMs: 0,
    routes: (routes) =>
      routes.service(RoomsInternalService, {
        listAccessibleRooms: () => {
          started.open()
          return new Promise(() => undefined)
        },
      }),
  })
  const rpc = await fleet.client({ name: 'calls', inProcess })
  const rooms = createClient(RoomsInternalService, rpc.transport())
  const giveUp = new AbortController()
  const first = errorOf(rooms.listAccessibleRooms({}, { signal: giveUp.signal }))
  await started.opened
  giveUp.abort()
  expect((await first).code).toBe(Code.Canceled)
  expect((await errorOf(rooms.listAccessibleRooms({}, { timeoutMs: 60 }))).code).toBe(Code.DeadlineExceeded)
})
