import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MyAccountService, UserService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { codeOf, makeUser, openEnv, useEnv } from './_env.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents
let now: Date

beforeAll(async () => {
  events = env.use(await recordUserEvents(env))
  await env.start({}, { now: () => now })
  await env.start({}, { now: () => now })
})

beforeEach(() => {
  now = new Date()
})

const account = (userId: string) => env.as(MyAccountService, { userId })
const inMs = (ms: number) => timestampFromDate(new Date(now.getTime() + ms))
const statusOf = async (userId: string) => {
  const { user } = await env.as(UserService, { userId }).getUser({ target: { case: 'userId', value: userId } })
  return user?.user?.customStatus
}

test('a custom status is set, shown, announced to everyone, and cleared', async () => {
  const userId = await makeUser(env, 'anna')
  const { status } = await account(userId).updateCustomStatus({ emoji: '🌴', text: ' away ', expiresAt: inMs(60_000) })
  expect(status).toMatchObject({ emoji: '🌴', text: 'away' })
  expect(await statusOf(userId)).toEqual(status)
  expect((await env.internal.getProfiles({ userIds: [userId] })).profiles[0]?.user?.customStatus).toEqual(status)
  expect((await env.viewerOf(userId).getViewer({})).user?.profile?.customStatus).toEqual(status)

  expect((await account(userId).deleteCustomStatus({})).status).toBeUndefined()
  expect((await account(userId).deleteCustomStatus({})).status).toBeUndefined()
  expect(await statusOf(userId)).toBeUndefined()
  expect(await events.waitFor(userId, 'user_custom_status_cleared')).toEqual([
    ...['user_created', 'user_custom_status_set', 'user_custom_status_cleared'],
  ])
  const [, set, cleared] = events.of(userId)
  expect(deliveriesOf(set)).toMatchObject([
    {
      to: 'everyone',
      envelope: { event: { case: 'userCustomStatusSet', value: { userId, emoji: '🌴', text: 'away' } } },
    },
  ])
  expect(deliveriesOf(cleared)).toMatchObject([
    { to: 'everyone', envelope: { actorId: userId, event: { case: 'userCustomStatusCleared', value: { userId } } } },
  ])
  expect(JSON.stringify(set?.fact)).not.toContain('away')
})

test('an invalid custom status is refused, and the previous one stays', async () => {
  const userId = await makeUser(env, 'bert')
  await account(userId).updateCustomStatus({ emoji: '🌴', text: 'away' })
  const invalid = [
    { emoji: '', text: 'x' },
    { emoji: 'x', text: 'x' },
    { emoji: '🌴🌴', text: 'x' },
    { emoji: '🌴', text: '' },
    { emoji: '🌴', text: 'x'.repeat(101) },
    { emoji: '🌴', text: 'x', expiresAt: inMs(0) },
    { emoji: '🌴', text: 'x', expiresAt: inMs(-1) },
  ]
  for (const status of invalid)
    expect(await codeOf(account(userId).updateCustomStatus(status))).toBe(Code.InvalidArgument)
  expect(await statusOf(userId)).toMatchObject({ emoji: '🌴', text: 'away' })
})

test('an expired custom status is hidden immediately, and its end is announced only once', async () => {
  const userId = await makeUser(env, 'carl')
  await account(userId).updateCustomStatus({ emoji: '🌴', text: 'away', expiresAt: inMs(60_000) })
  now = new Date(now.getTime() + 60_000)
  expect(await statusOf(userId)).toBeUndefined()
  await events.waitFor(userId, 'user_custom_status_cleared')
  // A second announcement, from the other process, would arrive before the event of this change.
  await account(userId).updateSettings({ timezone: 'UTC' })
  const kinds = await events.waitFor(userId, 'user_timezone_changed')
  expect(kinds.filter((kind) => kind === 'user_custom_status_cleared')).toHaveLength(1)
  const cleared = events.of(userId).find(({ kind }) => kind === 'user_custom_status_cleared')
  expect(cleared?.actorId).toBe('')
  expect(deliveriesOf(cleared)[0]?.envelope.actorId).toBeUndefined()
})

test('a custom status does not end with the one that it replaced', async () => {
  const userId = await makeUser(env, 'dora')
  const other = await makeUser(env, 'emil')
  await account(userId).updateCustomStatus({ emoji: '🌴', text: 'away', expiresAt: inMs(60_000) })
  await account(userId).updateCustomStatus({ emoji: '🎉', text: 'back', expiresAt: inMs(120_000) })
  await account(other).updateCustomStatus({ emoji: '🌴', text: 'away', expiresAt: inMs(60_000) })
  now = new Date(now.getTime() + 60_000)
  await events.waitFor(other, 'user_custom_status_cleared')
  expect(await statusOf(userId)).toMatchObject({ emoji: '🎉', text: 'back' })
})

test('the end of a custom status is announced even after an outage', async () => {
  const own = await openEnv()
  try {
    let at = new Date()
    const before = await own.start({}, { now: () => at })
    const userId = await makeUser(own, 'anna')
    const expiresAt = timestampFromDate(new Date(at.getTime() + 1_000))
    await own.as(MyAccountService, { userId }).updateCustomStatus({ emoji: '🌴', text: 'away', expiresAt })
    await eventually(async () => {
      const waiting = await own.db.execute(sql`select 1 from outbox where relayed_at is null`)
      expect(waiting.rowCount).toBe(0)
    })
    await before[Symbol.asyncDispose]()
    await using published = await recordUserEvents(own)
    at = new Date(at.getTime() + 3600_000)
    await own.start({}, { now: () => at })
    expect(await published.waitFor(userId, 'user_custom_status_cleared')).toEqual(['user_custom_status_cleared'])
  } finally {
    await own[Symbol.asyncDispose]()
  }
})
