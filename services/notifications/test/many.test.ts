import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { NotificationLevel, PresenceStatus } from '@parley/contracts/api'
import { sqlRows } from '@parley/postgres'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { toAudienceJob, type Audience } from '../src/domain/work.ts'
import { insertJobs } from '../src/store/jobs.ts'
import { openFleet, type Fleet } from './_fleet.ts'
import { RoomPublisher } from './_room-publisher.ts'

const program = fileURLToPath(new URL('programs/notifications.ts', import.meta.url))
const many = (count: number, prefix = 'U') =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(6, '0')}`)

const longTimeout = { timeoutMs: 100_000 }

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet[Symbol.asyncDispose]())

const notificationsOf = (eventId: string) =>
  sqlRows<{ userId: string; kind: string }>(
    fleet.db,
    sql`select user_id as "userId", kind from notifications where event_id = ${eventId} order by user_id`,
  )

const jobs = async () => (await fleet.db.execute('select from notification_jobs')).rowCount

/** The recipients of the events that announce a notification of the message. An event received twice counts once. */
function announcedTo(eventId: string): string[] {
  const events = new Map(fleet.published.events.map((event) => [event.id, event]))
  return [...events.values()].flatMap(({ kind, deliveries }) =>
    kind !== 'notification_created'
      ? []
      : deliveries.flatMap(({ audience, envelope }) =>
          audience.case === 'users' && Buffer.from(envelope).includes(eventId) ? audience.value.userIds : [],
        ),
  )
}

async function runProgram() {
  const own = { PARLEY_NOTIFICATIONS_DATABASE_URL: fleet.database.url, PARLEY_NATS_URL: fleet.natsUrl }
  const env = { ...process.env, ...own, PARLEY_GENERAL_LOG_LEVEL: 'silent' }
  const execArgv = ['--import', import.meta.resolve('@parley/tooling/run-bundled')]
  const child = fork(program, [], { execArgv, env, stdio: 'inherit' })
  await once(child, 'message')
  return child
}

test('everyone in a large room except the author is notified once, even if a process dies midway', async () => {
  const members = many(8000)
  fleet.fakes.room('R1', members)
  const dying = await runProgram()
  const { promise: isDead, resolve: release } = Promise.withResolvers<void>()
  fleet.fakes.beforeRecipients = async (after) => {
    if (after > 'U006') await isDead
  }
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  const eventId = await publisher.post('U000000', { mentions: { all: true, userIds: ['U000007'] } })
  await eventually(async () => expect((await notificationsOf(eventId)).length).toBeGreaterThan(1), longTimeout)
  const gone = once(dying, 'exit')
  dying.kill('SIGKILL')
  await gone
  release()
  expect((await notificationsOf(eventId)).length).toBeLessThan(members.length - 1)
  await fleet.db.execute(sql`update notification_jobs set due_at = now()`)
  await fleet.start()
  await fleet.start()
  await eventually(async () => expect(await jobs()).toBe(0), longTimeout)
  const others = members.slice(1)
  expect((await notificationsOf(eventId)).map(({ userId }) => userId)).toEqual(others)
  expect(new Set((await notificationsOf(eventId)).map(({ kind }) => kind))).toEqual(new Set(['mention']))
  await eventually(() => expect(new Set(announcedTo(eventId)).size).toBe(others.length), longTimeout)
  expect(announcedTo(eventId)).toHaveLength(others.length)
})

test('large roles and @here notify all whom they mention; a holder of the role gets a mention instead of a reply', async () => {
  // Too long to elapse: jobs run only when announced.
  await fleet.start({}, { jobsEveryMs: 3_600_000 })
  const cooks = many(500, 'Ucook')
  const others = many(300, 'Uother')
  fleet.fakes.room('R1', [...cooks, ...others, 'Uann'], { roles: { Ocooks: cooks } })
  for (const userId of others.slice(0, 20)) fleet.fakes.presences.set(userId, PresenceStatus.ONLINE)
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  const eventId = await publisher.post('Uann', {
    threadRootEventId: 'Eroot',
    mentions: { roleIds: ['Ocooks'], here: true },
    inReplyToAuthorId: cooks[3] ?? '',
    threadFollowerIds: [others[1] ?? '', others[200] ?? ''],
  })
  await eventually(async () => expect(await notificationsOf(eventId)).toHaveLength(521), longTimeout)
  await eventually(async () => expect(await jobs()).toBe(0))
  const rows = await notificationsOf(eventId)
  const kinds = new Map(rows.map(({ userId, kind }) => [userId, kind]))
  for (const userId of [...cooks, ...others.slice(0, 20)]) expect(kinds.get(userId)).toBe('mention')
  expect(kinds.get(others[200] ?? '')).toBe('reply')
  expect(rows).toHaveLength(521)
})

test('many thread followers and many people with the level ALL_MESSAGES are notified', async () => {
  await fleet.start()
  const members = many(1500)
  fleet.fakes.room('R1', [...members, 'Uann'])
  fleet.fakes.followers.set('Eroot', [...members, 'Uelsewhere'])
  await fleet.as('U000001').preferences.updateServerNotificationPreference({ level: NotificationLevel.MUTED })
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  const reply = await publisher.post('Uann', { threadRootEventId: 'Eroot', manyThreadFollowers: true })
  await eventually(async () => expect(await notificationsOf(reply)).toHaveLength(1499), longTimeout)
  await fleet.db.execute(sql`insert into notification_levels (user_id, room_id, level)
    select user_id, 'R1', 'all_messages' from notifications where event_id = ${reply}`)
  const plain = await publisher.post('Uann')
  await eventually(async () => expect(await notificationsOf(plain)).toHaveLength(1499), longTimeout)
  expect(new Set((await notificationsOf(plain)).map(({ kind }) => kind))).toEqual(new Set(['room_message']))
})

test('if more users have the level ALL_MESSAGES than a room has members, a post considers only the members', async () => {
  await fleet.start({}, { jobsEveryMs: 3_600_000 })
  const fans = many(5000)
  await fleet.db.execute(sql`insert into notification_levels (user_id, room_id, level)
    select user_id, '', 'all_messages' from unnest(${sql.param(fans)}::text[]) user_id`)
  fleet.fakes.room('R1', fans.slice(0, 5))
  await fleet
    .as('U000002')
    .preferences.updateRoomNotificationPreference({ roomId: 'R1', level: NotificationLevel.NORMAL })
  for (const [roomId, size, calls] of [
    // Calls of `listRecipients`: two find out whether the room is small; a third is made at once (R1) or by a job (R2).
    ['R1', 5, 3],
    ['R2', 900, 3],
  ] as const) {
    fleet.fakes.room(roomId, [...fans.slice(0, size), 'Uann', 'Ubob'])
    fleet.fakes.calls.length = 0
    const eventId = await new RoomPublisher(fleet.bus, roomId).post('Uann')
    const expected = fans.slice(0, size).filter((id) => roomId !== 'R1' || id !== 'U000002')
    await eventually(
      async () => expect((await notificationsOf(eventId)).map(({ userId }) => userId)).toEqual(expected),
      longTimeout,
    )
    expect(fleet.fakes.calls.filter((call) => call === 'listRecipients')).toHaveLength(calls)
    await eventually(async () => expect(await jobs()).toBe(0))
  }
})

test('a mention of everyone does not wait for jobs about the level ALL_MESSAGES', async () => {
  const fans = many(1200)
  await fleet.db.execute(sql`insert into notification_levels (user_id, room_id, level)
    select user_id, '', 'all_messages' from unnest(${sql.param(fans)}::text[]) user_id`)
  fleet.fakes.room('R1', [...fans, 'Uann'])
  fleet.fakes.room('R2', [...many(300, 'Uother'), 'Uann'])
  const job = (roomId: string, eventId: string, audience: Audience) => {
    const ids = { roomId, eventId, messageId: eventId, actorId: 'Uann', threadRootEventId: '', inReplyTo: '' }
    return toAudienceJob({ ...ids, roomSeq: 1n, postedAt: new Date() }, [audience])
  }
  const plain = many(3, 'Eplain').map((id) => job('R1', id, { of: 'all_messages' }))
  await insertJobs(fleet.db, [...plain, job('R2', 'Eall', { of: 'members' })])
  await fleet.start({}, { jobsEveryMs: 3_600_000 })
  await eventually(async () => expect(await jobs()).toBe(0), longTimeout)
  const first = sql`select event_id as "eventId" from notifications order by created_at limit 1`
  expect(await sqlRows(fleet.db, first)).toEqual([{ eventId: 'Eall' }])
})

test('a retraction dismisses the notifications of a large audience', async () => {
  await fleet.start()
  const members = many(2500)
  fleet.fakes.room('R1', [...members, 'Uann'])
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  const eventId = await publisher.post('Uann', { mentions: { all: true } })
  await eventually(async () => expect(await notificationsOf(eventId)).toHaveLength(2500), longTimeout)
  await publisher.retract(eventId)
  const pending = () => fleet.db.execute(sql`select from notifications where dismissed_at is null`)
  await eventually(async () => expect((await pending()).rowCount).toBe(0), longTimeout)
  await eventually(async () => expect(await jobs()).toBe(0))
})

test('@here is retried while presence is unavailable, and does not delay other notifications', async () => {
  await fleet.start({}, { jobsEveryMs: 200 })
  const [members, followers] = [many(20), many(10, 'Ufollower')]
  fleet.fakes.room('R1', [...members, ...followers, 'Uann'])
  fleet.fakes.followers.set('Eroot', followers)
  for (const userId of members.slice(0, 5)) fleet.fakes.presences.set(userId, PresenceStatus.ONLINE)
  fleet.fakes.presencesUnknown = true
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  const mentions = { here: true, userIds: [members[7] ?? ''] }
  const eventId = await publisher.post('Uann', { mentions, threadRootEventId: 'Eroot', manyThreadFollowers: true })
  await eventually(async () => expect(await notificationsOf(eventId)).toHaveLength(11), longTimeout)
  await eventually(async () => {
    const [job] = await sqlRows<{ fence: number }>(fleet.db, sql`select fence from notification_jobs`)
    expect(job?.fence).toBeGreaterThan(2)
  }, longTimeout)
  fleet.fakes.presencesUnknown = false
  await eventually(async () => expect(await jobs()).toBe(0), longTimeout)
  const rows = await notificationsOf(eventId)
  expect(
    rows
      .filter(({ kind }) => kind === 'mention')
      .map(({ userId }) => userId)
      .sort(),
  ).toEqual([...members.slice(0, 5), members[7]].sort())
  expect(rows).toHaveLength(16)
})

test('a job that fails because another service is unavailable continues later', async () => {
  await fleet.start()
  const members = many(1200)
  fleet.fakes.room('R1', members)
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  fleet.fakes.unavailableMethods.add('getPresences')
  const eventId = await publisher.post('U000000', { mentions: { all: true } })
  await eventually(async () => {
    const [job] = await sqlRows<{ fence: number }>(fleet.db, sql`select fence from notification_jobs`)
    expect(job?.fence).toBeGreaterThan(2)
  }, longTimeout)
  fleet.fakes.unavailableMethods.clear()
  await eventually(async () => expect(await notificationsOf(eventId)).toHaveLength(1199), longTimeout)
})
