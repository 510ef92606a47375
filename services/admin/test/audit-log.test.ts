import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import {
  DetailsFactSchema,
  MessagePostedFactSchema,
  NotificationLevelFactSchema,
  ReadFactSchema,
  ThreadFollowFactSchema,
} from '@parley/contracts/internal'
import { encodeRealtimeEnvelope } from '@parley/events'
import { eventually } from '@parley/testkit'
import { testAdmin, type TestAdmin } from './_admin.ts'
import { announce } from './_announce.ts'
import { readWholeLog } from './_log.ts'

const program = fileURLToPath(new URL('programs/admin.ts', import.meta.url))
const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1)

let admin: TestAdmin
beforeEach(async () => {
  admin = await testAdmin()
})
afterEach(() => admin[Symbol.asyncDispose]())

const publishPost = (room: number, n: number) =>
  announce(admin.bus, {
    kind: 'message_posted',
    aggregateType: 'room',
    aggregateId: `R${room}`,
    version: BigInt(n),
    actorId: 'Uann',
    fact: { case: 'messagePosted', value: create(MessagePostedFactSchema, { roomSeq: BigInt(n) }) },
  })

/** Waits for this many entries. They must have no gaps, and each must be about a different event. */
async function expectCompleteLog(count: number) {
  await eventually(async () =>
    expect((await admin.owner.eventLog.listEvents({ limit: 1 })).totalCount).toBe(BigInt(count)),
  )
  const entries = await readWholeLog(admin)
  expect(entries.map(({ sequence }) => sequence)).toEqual(upTo(count).reverse().map(String))
  expect(new Set(entries.map(({ eventId }) => eventId)).size).toBe(count)
  return entries
}

test('read markers are not audited; followed threads are', async () => {
  await admin.start()
  const about = { aggregateType: 'reader', aggregateId: 'Uann', actorId: 'Uann' } as const
  for (const [n, kind] of ['room_marked_as_read', 'thread_marked_as_read'].entries()) {
    const fact = { case: 'read', value: create(ReadFactSchema, { roomId: 'R1', upToRoomSeq: 3n }) } as const
    await announce(admin.bus, { ...about, kind, version: BigInt(n + 1), fact })
  }
  const value = create(ThreadFollowFactSchema, { roomId: 'R1', threadRootEventId: 'E1', following: true })
  const fact = { case: 'threadFollow', value } as const
  await announce(admin.bus, { ...about, kind: 'thread_followed', version: 3n, fact })
  const [entry] = await expectCompleteLog(1)
  expect(entry).toMatchObject({
    ...{ eventType: 'ThreadFollowedEvent', aggregateType: 'user', aggregateId: 'Uann' },
    subject: 'evt.user.Uann.thread_followed',
  })
  expect(JSON.parse(entry?.payloadJson ?? '')).toEqual({ roomId: 'R1', threadRootEventId: 'E1', following: true })
})

test('notifications are not audited; changes of notification levels are', async () => {
  await admin.start()
  const published = {
    kind: 'notification_created',
    aggregateType: 'notification',
    aggregateId: '3',
    version: 1n,
  } as const
  await announce(admin.bus, { ...published, actorId: '' })
  const value = create(NotificationLevelFactSchema, { roomId: 'R1', level: NotificationLevel.MUTED })
  await announce(admin.bus, {
    ...{ kind: 'user_room_notification_level_set', aggregateType: 'preference', aggregateId: 'Uann', version: 1n },
    ...{ actorId: 'Uann', fact: { case: 'notificationLevel', value } },
  })
  const [entry] = await expectCompleteLog(1)
  expect(entry).toMatchObject({
    ...{ eventType: 'UserRoomNotificationLevelSetEvent', aggregateType: 'user', aggregateId: 'Uann' },
    subject: 'evt.user.Uann.user_room_notification_level_set',
  })
  expect(JSON.parse(entry?.payloadJson ?? '')).toEqual({ roomId: 'R1', level: 'NOTIFICATION_LEVEL_MUTED' })
})

test('an event becomes an entry without texts', async () => {
  await admin.start()
  const occurredAt = new Date('2026-03-01T12:00:00.123Z')
  const about = { aggregateType: 'user', aggregateId: 'Uann', version: 1n, occurredAt } as const
  const details = create(DetailsFactSchema, { details: { role_name: 'cooks', address: 'ann@example.org' } })
  const assigned = await announce(admin.bus, {
    ...about,
    kind: 'rbac_role_assigned',
    actorId: 'Uboss',
    fact: { case: 'details', value: details },
  })
  await announce(admin.bus, { ...about, kind: 'roles_changed', actorId: 'Uboss' })
  await admin.bert.adminServer.updateServerConfig({ motd: 'confidential words' })
  await admin.anonymous.internal.denyPosting({ roomId: 'R1', actorId: 'Uann' })
  const entries = await expectCompleteLog(6)

  expect(entries.find(({ eventId }) => eventId === assigned)).toMatchObject({
    sequence: '1',
    subject: 'evt.rbac.Uann.rbac_role_assigned',
    aggregateType: 'rbac',
    aggregateId: 'Uann',
    eventType: 'RbacRoleAssignedEvent',
    actorId: 'Uboss',
    createdAt: { seconds: BigInt(Math.floor(occurredAt.getTime() / 1000)), nanos: 123_000_000 },
    payloadJson: '{"details":{"role_name":"cooks"}}',
  })
  const subjects = entries.map(({ subject, eventType, actorId }) => `${subject} ${eventType} ${actorId}`)
  expect(subjects.sort()).toEqual([
    'evt.config.server.server_motd_changed ServerMotdChangedEvent Ubert',
    'evt.config.server.server_updated ServerUpdatedEvent Ubert',
    'evt.rbac.Uann.rbac_role_assigned RbacRoleAssignedEvent Uboss',
    'evt.rbac.Uann.roles_changed UserRolesChangedEvent Uboss',
    'evt.rbac.everyone.rbac_permission_denied RbacPermissionDeniedEvent Uann',
    'evt.rbac.server.policy_changed RbacPolicyChangedEvent Uann',
  ])
  for (const { payloadJson } of entries) {
    expect(payloadJson).not.toContain('confidential')
    expect(JSON.parse(payloadJson)).toBeDefined()
  }
})

test('a new thread and the deletion of a member get entries of their own', async () => {
  await admin.start()
  const at = new Date()
  const about = { createdAt: at, actorId: 'Uann' }
  const delivery = (envelope: Uint8Array) => ({ envelope, audience: { case: 'everyone', value: true } as const })
  const posting = encodeRealtimeEnvelope('message_posted', {
    ...{ ...about, id: 'Ereply', value: { roomId: 'R1', messageEventId: 'Ereply', threadRootEventId: 'Eroot' } },
  })
  const value = { roomId: 'R1', threadRootEventId: 'Eroot' }
  const beginning = encodeRealtimeEnvelope('thread_created', { ...about, id: 'Ethread', value })
  const replied = create(MessagePostedFactSchema, { roomSeq: 1n, threadRootEventId: 'Eroot' })
  await announce(admin.bus, {
    ...{ id: 'Ereply', kind: 'message_posted', aggregateType: 'room', aggregateId: 'R1', version: 1n, actorId: 'Uann' },
    ...{ fact: { case: 'messagePosted', value: replied }, deliveries: [delivery(posting), delivery(beginning)] },
  })
  const leaving = encodeRealtimeEnvelope('server_member_deleted', { ...about, id: 'Egone', value: { userId: 'Uann' } })
  await announce(admin.bus, {
    ...{ id: 'Egone', kind: 'account_deleted', aggregateType: 'user', aggregateId: 'Uann', version: 1n },
    ...{ actorId: 'Uann', deliveries: [delivery(leaving)] },
  })
  await eventually(async () => expect(await readWholeLog(admin)).toHaveLength(4))
  const entries = await readWholeLog(admin)
  expect(entries.map(({ subject, eventType, eventId }) => [subject, eventType, eventId]).reverse()).toEqual([
    ['evt.room.R1.message_posted', 'MessagePostedEvent', 'Ereply'],
    ['evt.room.R1.thread_created', 'ThreadCreatedEvent', 'Ethread'],
    ['evt.user.Uann.account_deleted', 'UserAccountDeletedEvent', 'Egone'],
    ['evt.user.Uann.server_member_deleted', 'ServerMemberDeletedEvent', 'Egone'],
  ])
  expect(entries.map(({ payloadJson }) => payloadJson).reverse()).toMatchObject([
    ...[expect.anything(), JSON.stringify(value), expect.anything(), '{"userId":"Uann"}'],
  ])
})

test('two processes that write concurrently leave no gaps and no duplicates', async () => {
  await Promise.all([admin.start(), admin.start()])
  await Promise.all(
    upTo(20).map(async (room) => {
      for (const n of upTo(25)) await publishPost(room, n)
    }),
  )
  const entries = await expectCompleteLog(500)
  expect(new Set(entries.map(({ aggregateId, payloadJson }) => aggregateId + payloadJson)).size).toBe(500)
})

/** After the ack wait, messages that a killed process has not acknowledged are redelivered. */
async function shortenAckWait(): Promise<void> {
  const manager = await admin.bus.nc.jetstreamManager()
  await eventually(() => manager.consumers.update('EVENTS', 'admin-audit', { ack_wait: 2e9 }))
}

test('if writing processes are killed, nothing is lost or duplicated', async () => {
  const execArgv = ['--import', import.meta.resolve('@parley/tooling/run-bundled')]
  let published = 0
  let writing = true
  const write = async () => {
    for (; writing; published++) await publishPost(published % 10, published)
  }
  const writer = write()
  const countRecorded = async () => {
    const sum = 'select sum(entries) as entries from audit_counts'
    return Number((await admin.pool.query<{ entries: string | null }>(sum)).rows[0]?.entries ?? 0)
  }
  for (const recorded of [1, 102]) {
    const env = { ...process.env, ...admin.settings, PARLEY_GENERAL_LOG_LEVEL: 'silent' }
    const child = fork(program, [], { execArgv, env, stdio: 'inherit' })
    await once(child, 'message')
    await shortenAckWait()
    await eventually(async () => expect(await countRecorded()).toBeGreaterThan(recorded))
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  writing = false
  await writer
  await admin.start()
  await eventually(async () => expect(await countRecorded()).toBe(published), { timeoutMs: 120_000 })
  await expectCompleteLog(published)
}, 300_000)

test('after the stream is deleted, the log keeps its entries and gets no duplicates', async () => {
  await admin.start()
  for (const motd of ['one', 'two', 'three']) await admin.bert.adminServer.updateServerConfig({ motd })
  const before = await expectCompleteLog(6)
  const manager = await admin.bus.nc.jetstreamManager()
  await manager.streams.delete('EVENTS')
  await admin.bert.adminServer.updateServerConfig({ motd: 'four' })
  await eventually(
    async () => expect((await manager.streams.info('EVENTS')).state.messages).toBeGreaterThanOrEqual(5),
    {
      timeoutMs: 30_000,
    },
  )
  const after = await expectCompleteLog(8)
  expect(after.slice(2)).toEqual(before)
})

test('after a restore of the database, the events that it has lost are recorded again', async () => {
  const first = await admin.start()
  for (const n of upTo(20)) await publishPost(1, n)
  const before = await expectCompleteLog(20)
  await first[Symbol.asyncDispose]()
  await admin.pool.query(`
    delete from inbox where event_id in (select event_id from audit_entries where sequence > 12);
    delete from audit_entries where sequence > 12;
    update audit_counts set entries = 12;
    update audit_counter set last_sequence = 12`)
  await admin.start()
  const after = await expectCompleteLog(20)
  expect(after.slice(8)).toEqual(before.slice(8))
})

test('a restart does not change existing entries', async () => {
  const first = await admin.start()
  await publishPost(1, 1)
  const before = await expectCompleteLog(1)
  await first[Symbol.asyncDispose]()
  await publishPost(1, 2)
  await admin.start()
  expect((await expectCompleteLog(2)).slice(1)).toEqual(before)
})
