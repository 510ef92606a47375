import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, PushService, type PushAnswer } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { pushSubscriptions } from '../src/store/schema.ts'
import { giveUpMs, usePushFleet } from './_push-fleet.ts'
import { queuedPushes } from './_push-jobs.ts'

const push = usePushFleet()
let user = ''
let count = 0

beforeAll(() => push.start())
beforeEach(() => {
  user = `U${++count}`
  push.service.answer = () => ({ status: 201 })
})

const waitUntilDrained = () => eventually(async () => expect(await queuedPushes(push.fleet.db)).toEqual([]))
const isSubscribed = async () => {
  const rows = await push.fleet.db.select().from(pushSubscriptions)
  return rows.some(({ userId }) => userId === user)
}

test.each<[string, PushAnswer]>([
  ['status 429', { status: 429 }],
  ['status 500', { status: 500 }],
  ['status 503 with Retry-After', { status: 503, headers: { 'retry-after': '1' } }],
  ['a protocol switch', { status: 101, headers: { connection: 'upgrade', upgrade: 'other' } }],
  ['a long error response', { status: 502, body: 'x'.repeat(1_000_000) }],
])('after %s, the push is sent again under the same topic', async (name, failure) => {
  const browser = name.replaceAll(' ', '-')
  await push.subscribe(user, browser)
  push.service.answer = (_, attempt) => (attempt < 3 ? failure : { status: 201 })
  await push.notify(user)
  await waitUntilDrained()
  const received = push.service.receivedBy(browser)
  expect(received).toHaveLength(3)
  expect(new Set(received.map(({ topic }) => topic)).size).toBe(1)
  expect(await isSubscribed()).toBe(true)
})

test('a push waits as long as Retry-After says; if its notification is dismissed, only the dismissal is sent', async () => {
  await push.subscribe(user, 'patient')
  push.service.answer = () => ({ status: 429, headers: { 'retry-after': '1800' } })
  await push.notify(user)
  await eventually(async () => {
    const { rows } = await push.fleet.db.execute<{ seconds: number }>(
      sql`select extract(epoch from due_at - now())::int as seconds from push_jobs where leased_until is null`,
    )
    expect(rows[0]?.seconds).toBeGreaterThan(1700)
  })
  push.service.answer = () => ({ status: 201 })
  await push.dismiss(user, 'mention-E1')
  await waitUntilDrained()
  expect(push.service.receivedBy('patient').at(-1)?.payload).toMatchObject({ action: 'dismiss' })
})

test.each([404, 410])(
  'after status %d, the push is not sent again, and the subscription is deleted',
  async (status) => {
    await push.subscribe(user, `gone-${status}`)
    push.service.answer = () => ({ status })
    await push.notify(user)
    await waitUntilDrained()
    expect(push.service.receivedBy(`gone-${status}`)).toHaveLength(1)
    await eventually(async () => expect(await isSubscribed()).toBe(false))
  },
)

test('a subscription that gets new keys while the push service answers 410 is kept', async () => {
  const endpoint = await push.subscribe(user, 'renewed')
  push.service.answer = async () => {
    await push.fleet.db.execute(
      sql`update push_subscriptions set auth = 'AAAAAAAAAAAAAAAAAAAAAA' where endpoint = ${endpoint}`,
    )
    return { status: 410 }
  }
  await push.notify(user)
  await waitUntilDrained()
  expect(await isSubscribed()).toBe(true)
})

test.each([400, 403, 413, 301, 307])(
  'after status %d, the push is dropped, the subscription is kept, and no redirect is followed',
  async (status) => {
    const elsewhere = await PushService.start()
    const { endpoint: location } = elsewhere.subscribe('elsewhere')
    await push.subscribe(user, `refused-${status}`)
    push.service.answer = () => ({ status, headers: { location } })
    await push.notify(user)
    await waitUntilDrained()
    expect(push.service.receivedBy(`refused-${status}`)).toHaveLength(1)
    expect(await isSubscribed()).toBe(true)
    expect(elsewhere.received).toEqual([])
    await elsewhere[Symbol.asyncDispose]()
  },
)

test('a push service that hangs does not delay pushes to another push service', async () => {
  const hanging = await PushService.start()
  hanging.answer = () => 'nothing'
  for (let n = 0; n < 8; n++) await push.subscribe(user, `hanging-${n}`, hanging)
  await push.subscribe('Uquick', 'quick')
  await push.notify(user)
  await eventually(() => expect(hanging.received.length).toBeGreaterThan(0))
  for (let n = 0; n < 5; n++) await push.notify('Uquick', { eventId: `Equick${n}`, notificationId: `Nquick${n}` })
  await eventually(() => expect(push.service.receivedBy('quick')).toHaveLength(5))
  // A push service that has not answered yet gets only one push at a time.
  expect(hanging.received).toHaveLength(1)
  await hanging[Symbol.asyncDispose]()
  // Truncating the table instead would deadlock with the sender.
  await push.fleet.db.delete(pushSubscriptions)
})

test('a second push about a message has the topic of the first; a push whose lease has expired is sent', async () => {
  await push.subscribe(user, 'twice')
  await push.notify(user)
  await eventually(() => expect(push.service.receivedBy('twice')).toHaveLength(1))
  await waitUntilDrained()
  await push.notify(user)
  await push.fleet.db.execute(
    sql`update push_jobs set attempts = 1, leased_until = now() - interval '1 s', due_at = now() - interval '1 s'`,
  )
  await waitUntilDrained()
  const topics = push.service.receivedBy('twice').map(({ topic }) => topic)
  expect(topics.length).toBeGreaterThanOrEqual(2)
  expect(new Set(topics).size).toBe(1)
})

test('a push older than its TTL is not sent', async () => {
  await push.subscribe(user, 'late')
  await push.notify(user, { createdAt: new Date(Date.now() - 86_401_000) })
  await waitUntilDrained()
  expect(push.service.receivedBy('late')).toEqual([])
})

test('a push that keeps failing is given up, and its subscription is kept', async () => {
  await push.subscribe(user, 'hopeless')
  push.service.answer = () => ({ status: 500 })
  await push.notify(user, { createdAt: new Date(Date.now() - (giveUpMs - 300)) })
  await waitUntilDrained()
  expect(push.service.receivedBy('hopeless')).not.toEqual([])
  expect(await isSubscribed()).toBe(true)
})

test('metrics count pushes, and contain no endpoint and no event id', async () => {
  await push.subscribe(user, 'unnamed')
  await push.notify(user, { eventId: 'Eunnamed' })
  await waitUntilDrained()
  const service = await push.start()
  const metrics = await (await fetch(`http://127.0.0.1:${service.internalPort}/metrics`)).text()
  expect(metrics).toMatch(/parley_push_pushes_total\{[^}]*parley_outcome="accepted"/)
  expect(metrics).toMatch(/parley_push_lag_seconds_count\{[^}]*parley_lane="first"/)
  expect(metrics).toMatch(/parley_push_waiting\{[^}]*parley_lane="mass"/)
  expect(metrics).toMatch(
    /^http_client_request_duration_seconds_count\{parley_peer="push",http_response_status_code="201"\} [1-9]/m,
  )
  expect(metrics).not.toMatch(/unnamed|127\.0\.0\.1:\d+\/push/)
})
