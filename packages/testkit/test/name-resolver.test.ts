import { createServer, Socket } from 'node:net'
import { lookup } from 'node:dns/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { NameResolver, ResolverBusy } from '@parley/outbound'
import { DnsServer } from '../src/dns-server.ts'

let names: DnsServer
let resolver: NameResolver

const open = (options: ConstructorParameters<typeof NameResolver>[0] = {}) =>
  (resolver = new NameResolver({ servers: [names.address], timeoutMs: 60_000, maxWaitMs: 60_000, ...options }))

beforeEach(async () => {
  names = await DnsServer.start({ 'push.example': ['1.1.1.1', '1.0.0.1'] })
})
afterEach(async () => {
  resolver[Symbol.dispose]()
  await names[Symbol.asyncDispose]()
})

const refusalOf = (answer: Promise<unknown>) => answer.then(String, (error: unknown) => error)

test('a name resolves to all of its addresses', async () => {
  open()
  const found = await resolver.resolve('Push.Example.', 'Ualice')
  expect(found.map(({ address }) => address).sort()).toEqual(['1.0.0.1', '1.1.1.1'])
  expect(resolver.pending).toBe(0)
})

test('a name that does not exist is reported as such', async () => {
  names.missing.add('gone.example')
  await expect(open().resolve('gone.example', 'Ualice')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('local names are resolved without a query', async () => {
  const found = await open().resolve('x.localhost', 'Ualice')
  expect(found).toMatchObject([{ address: '127.0.0.1' }, { address: '::1' }])
  expect(names.queried).toEqual(new Set())
})

test('the number of unanswered look-ups is limited, and they do not delay other look-ups of the process', async () => {
  open({ maxAtOnce: 8, maxWaiting: 16 })
  const requested = Array.from({ length: 100 }, (_, n) => refusalOf(resolver.resolve(`silent-${n}.example`, `U${n}`)))
  const refused = requested.slice(24)
  for (const answer of refused) expect(await answer).toBeInstanceOf(ResolverBusy)
  await names.untilQueried(8)
  expect(resolver.pending).toBe(8)

  // Unanswered names must not block libuv's threads, which database connections, S3 and file operations also need.
  await lookup('localhost')
  const server = createServer().listen(0, 'localhost')
  await new Promise((listening) => server.on('listening', listening))
  const { port } = server.address() as { port: number }
  const socket = new Socket().connect(port, 'localhost')
  await new Promise((connected) => socket.on('connect', connected))
  socket.destroy()
  server.close()

  expect([resolver.pending, names.queried.size]).toEqual([8, 8])
  resolver[Symbol.dispose]()
  await Promise.all(requested)
  expect(resolver.pending).toBe(0)
})

test('a caller has at most one look-up at a time, and does not delay other callers', async () => {
  open({ maxAtOnce: 2 })
  const silent = refusalOf(resolver.resolve('silent-1.example', 'Umallory'))
  for (let n = 2; n < 10; n++)
    await expect(resolver.resolve(`silent-${n}.example`, 'Umallory')).rejects.toBeInstanceOf(ResolverBusy)
  expect(await resolver.resolve('push.example', 'Ualice')).toHaveLength(2)
  expect([resolver.pending, [...names.queried]]).toEqual([1, ['silent-1.example', 'push.example']])
  resolver[Symbol.dispose]()
  await silent
})

test('if names of a caller may wait, they are resolved one after the other', async () => {
  open({ maxWaitingPerCaller: 1 })
  const answers = [1, 2, 3].map((n) => refusalOf(resolver.resolve(`silent-${n}.example`, 'Ualice')))
  expect(await answers[2]).toBeInstanceOf(ResolverBusy)
  await names.untilQueried(1)
  names.answers.set('silent-1.example', ['1.1.1.1'])
  names.answers.set('silent-2.example', ['1.1.1.1'])
  await Promise.all(answers)
  expect([...names.queried]).toEqual(['silent-1.example', 'silent-2.example'])
})

test('a caller waits for a limited time, and does not prevent others from resolving the same name', async () => {
  open({ maxWaitingPerCaller: 1, maxWaitMs: 30 })
  const silent = refusalOf(resolver.resolve('silent.example', 'Umallory'))
  const waiting = refusalOf(resolver.resolve('push.example', 'Umallory'))
  expect(await resolver.resolve('push.example', 'Ualice')).toHaveLength(2)
  expect(await waiting).toBeInstanceOf(ResolverBusy)
  resolver[Symbol.dispose]()
  await silent
})

test('concurrent look-ups of a name share its two queries, for IPv4 and IPv6', async () => {
  open()
  const people = ['Ualice', 'Ubob', 'Ucarol', 'Ualice']
  const answers = await Promise.all(people.map((callerId) => resolver.resolve('push.example', callerId)))
  expect(answers.map(({ length }) => length)).toEqual([2, 2, 2, 2])
  expect(names.queries).toBe(2)
})

test('an unanswered query times out and frees its slot', async () => {
  open({ timeoutMs: 30, maxAtOnce: 1 })
  await expect(resolver.resolve('silent.example', 'Umallory')).rejects.toThrow()
  expect(resolver.pending).toBe(0)
  expect(await resolver.resolve('push.example', 'Ualice')).toHaveLength(2)
})
