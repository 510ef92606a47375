import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { NameResolver } from '@parley/outbound'
import { eventually, DnsServer, openTestDatabase, PushService } from '@parley/testkit'
import { openPushFleet, type PushFleet } from './_push-fleet.ts'

let push: PushFleet
let pushService: PushService
let nameServer: DnsServer
let resolver: NameResolver

beforeAll(async () => {
  push = await openPushFleet()
  pushService = await PushService.start()
  nameServer = await DnsServer.start({ 'push.example': ['127.0.0.1'] })
  resolver = new NameResolver({ servers: [nameServer.address], timeoutMs: 60_000, maxWaitMs: 60_000 })
  await push.start({ network: { isAllowed: () => true, allowPlain: true, resolve: resolver.resolve } })
})
afterAll(async () => {
  resolver[Symbol.dispose]()
  await push[Symbol.asyncDispose]()
  await pushService[Symbol.asyncDispose]()
  await nameServer[Symbol.asyncDispose]()
})

const subscribe = (userId: string, browser: string, host: string) =>
  push.fleet.as(userId).push.subscribe({
    ...pushService.subscribe(browser),
    endpoint: `http://${host}:${pushService.port}/push/${browser}`,
  })

test('if the host names of a user’s endpoints cannot be resolved in time, only pushes to this user are delayed', async () => {
  for (let n = 0; n < 20; n++) await subscribe('Umallory', `m${n}`, `silent-${n}.example`)
  expect(nameServer.queried).toEqual(new Set())
  await push.notify('Umallory')
  await nameServer.untilQueried(1)

  await subscribe('Ualice', 'alice', 'push.example')
  await push.notify('Ualice', { eventId: 'E2' })
  await eventually(() => expect(pushService.received.map(({ browser }) => browser)).toEqual(['alice']))
  // Opening a connection to the database also resolves a name, and is not delayed.
  const url = new URL(push.fleet.database.url)
  url.hostname = 'localhost'
  await using database = await openTestDatabase(url.href, { pool: 1 })
  await database.ping()

  expect(resolver.pending).toBe(1)
  expect([...nameServer.queried].filter((name) => name.startsWith('silent'))).toHaveLength(1)
})
