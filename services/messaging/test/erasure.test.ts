import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import { eventually, openTestDatabase, requestErasure } from '@parley/testkit'
import { type Database } from '@parley/postgres'
import { settleFollows } from '../src/store/settle-follows.ts'
import { read, say } from './_conversation.ts'
import { useFleet } from './_fleet.ts'
import { attach, addPreview } from './_parts.ts'

const fleet = useFleet()
let database: Database

beforeAll(async () => {
  database = fleet.use(await openTestDatabase(fleet.database.url, { pool: 1 }))
})

const runPass = async (userId: string, number: number) => {
  await requestErasure(fleet.bus, userId, number)
  return eventually(() => fleet.erasures.found(userId, number)?.toString() ?? false)
}
const count = async (statement: string, userId: string) =>
  Number((await database.pool.query<{ count: bigint }>(`select count(*) ${statement}`, [userId])).rows[0]?.count)

test("a deleted user's messages become placeholders, and private data is deleted", async () => {
  const { roomId } = await fleet.room().channel(['gone', 'bob'])
  const direct = await fleet.room().dm(['gone', 'bob'])
  const [gone, bob] = [fleet.as('gone').messages, fleet.as('bob').messages]
  const { message: root } = await gone.createMessage({ roomId, body: 'words of mine' })
  const threadRootEventId = root?.id ?? ''
  const { message: reply } = await gone.createMessage({
    ...{ roomId, threadRootEventId, body: 'more words of mine', alsoSendToChannel: true },
  })
  await bob.createMessage({ roomId, body: 'another word of bob' })
  const { message: answer } = await bob.createMessage({ roomId, threadRootEventId, body: 'words of bob' })
  for (let n = 0; n < 600; n++) await gone.createMessage({ roomId: direct.roomId, body: `word ${n} of mine` })

  for (const userId of ['gone', 'bob']) {
    await fleet.as(userId).threads.unfollowThread({ roomId, threadRootEventId })
    await fleet.publishLevel(userId, roomId, NotificationLevel.MUTED, 1n)
    expect(await count('from notification_levels where user_id = $1', userId)).toBe(1)
  }

  for (const userId of ['gone', 'bob']) await settleFollows(database.pool, userId, [roomId])

  expect(Number(await runPass('gone', 1))).toBeGreaterThan(604)
  expect(await count(`from room_events where actor_id = $1 and body is not null`, 'gone')).toBe(0)
  expect(await count(`from room_events where body like '%' || $1 || '%'`, 'of mine')).toBe(0)
  for (const table of [
    ...['room_markers', 'thread_follows', 'thread_markers', 'thread_watermarks', 'readers', 'notification_levels'],
  ]) {
    expect(await count(`from ${table} where user_id = $1`, 'gone')).toBe(0)
    expect(await count(`from ${table} where user_id = $1`, 'bob')).toBe(1)
  }
  expect(await count('from message_keys where caller_id = $1', 'gone')).toBe(0)

  for (const eventId of [threadRootEventId, reply?.id ?? '', reply?.channelEchoEventId ?? ''])
    await expect(bob.getMessage({ roomId, eventId })).rejects.toMatchObject({ code: Code.NotFound })
  expect((await bob.getMessage({ roomId, eventId: answer?.id ?? '' })).message?.body).toBe('words of bob')
  const timeline = await fleet.as('bob').rooms.getRoomEvents({ roomId })
  expect(timeline.page?.events.filter(({ actorId }) => actorId === 'gone').length).toBeGreaterThan(0)
  expect(
    JSON.stringify(timeline, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  ).not.toContain('of mine')
  expect(await runPass('gone', 2)).toBe('0')
})

test('posts of a deleted user are refused, even in universal rooms', async () => {
  const { roomId } = await fleet.room().channel(['late'])
  const universal = await fleet.room().channel([], { universal: true })
  await runPass('late', 1)
  for (const id of [roomId, universal.roomId]) {
    await expect(fleet.as('late').messages.createMessage({ roomId: id, body: 'too late' })).rejects.toMatchObject({
      code: Code.PermissionDenied,
    })
  }
  expect(await count(`from room_events where body = $1`, 'too late')).toBe(0)
})

test('a notification level that arrives after the deletion is not stored', async () => {
  await runPass('gil', 1)
  await fleet.publishLevel('gil', '', NotificationLevel.MUTED, 1n)
  await fleet.publishLevel('hal', '', NotificationLevel.MUTED, 1n)
  expect(await count('from notification_levels where user_id = $1', 'hal')).toBe(1)
  expect(await count('from notification_levels where user_id = $1', 'gil')).toBe(0)
})

test('rows written after a pass are found by the next one', async () => {
  const { roomId } = await fleet.room().channel(['slow'])
  await fleet.as('slow').messages.createMessage({ roomId, body: 'first' })
  await runPass('slow', 1)
  await database.pool.query(
    `update room_events set body = 'slipped through', deleted_at = null where room_id = $1 and kind = 'message_posted'`,
    [roomId],
  )
  expect(await runPass('slow', 2)).toBe('1')
  expect(await runPass('slow', 3)).toBe('0')
})

test('a watermark that is being written when a pass begins is deleted by that pass', async () => {
  const { roomId } = await fleet.room().channel(['kim'])
  const { id: threadRootEventId } = await say(fleet.as('kim'), roomId, 'root')
  await fleet.as('kim').threads.followThread({ roomId, threadRootEventId })
  await settleFollows(fleet.pool, 'kim', [roomId])
  await fleet.pool.query('delete from thread_watermarks where user_id = $1', ['kim'])
  const settling = await fleet.pool.connect()
  try {
    await settling.query('begin')
    await settleFollows(settling, 'kim', [roomId])
    const pass = runPass('kim', 1)
    await eventually(async () => {
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%thread_watermarks%'`
      return (await fleet.pool.query(waiting)).rowCount === 1
    })
    await settling.query('commit')
    expect(Number(await pass)).toBeGreaterThan(0)
    expect(await count('from thread_watermarks where user_id = $1', 'kim')).toBe(0)
  } finally {
    settling.release(true)
  }
})

const state = async (userId: string, roomId: string) =>
  (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries[0]

test("a deleted user's messages are neither unread nor replies, and lose files and previews", async () => {
  const { roomId } = await fleet.room().channel(['ana', 'bob'])
  const [ana, bob] = [fleet.as('ana'), fleet.as('bob')]
  const root = await say(bob, roomId, 'root')
  const inThread = { threadRootEventId: root.id }
  const kept = await say(bob, roomId, 'kept', inThread)
  const reply = await say(ana, roomId, 'reply', { ...inThread, alsoSendToChannel: true })
  const last = await say(ana, roomId, 'last')
  await attach(fleet, roomId, reply.id, [{ filename: 'a name.txt' }])
  await addPreview(fleet, roomId, last.id, { url: 'https://example.org', title: 'a title' })
  await bob.messages.addReaction({ roomId, messageEventId: last.id, emoji: 'eyes' })
  expect(await state('bob', roomId)).toMatchObject({ hasUnread: true })

  await runPass('ana', 1)
  expect(await state('bob', roomId)).toBeUndefined()
  expect((await read(bob, roomId, root.id))?.thread).toMatchObject({
    ...{ replyCount: 1, participantPreviewUserIds: ['bob'], participantCount: 1, lastReplyAt: kept.createdAt },
  })
  for (const table of ['message_attachments', 'reactions', 'reaction_tallies'])
    expect((await database.pool.query(`select from ${table} where room_id = $1`, [roomId])).rows).toEqual([])
  const previews = await database.pool.query(
    'select from room_events where room_id = $1 and link_preview is not null',
    [roomId],
  )
  expect(previews.rows).toEqual([])
  expect(await runPass('ana', 2)).toBe('0')
})

test("a deleted user's reactions are removed, and the preview names the next users", async () => {
  const people = ['ida', 'bob', 'p1', 'p2', 'p3', 'p4']
  const { roomId } = await fleet.room().channel(people)
  const { id: messageEventId } = await say(fleet.as('bob'), roomId, 'x')
  for (const userId of people) await fleet.as(userId).messages.addReaction({ roomId, messageEventId, emoji: 'tada' })
  await fleet.as('ida').messages.addReaction({ roomId, messageEventId, emoji: 'eyes' })
  await runPass('ida', 1)
  expect((await read(fleet.as('bob'), roomId, messageEventId))?.reactions).toMatchObject([
    { emoji: 'tada', count: 5, hasReacted: true, previewUserIds: ['bob', 'p1', 'p2', 'p3', 'p4'] },
  ])
  expect(await count('from reactions where user_id = $1', 'ida')).toBe(0)
  expect(await runPass('ida', 2)).toBe('0')
})

test('a deleted user cannot change anything', async () => {
  const { roomId } = await fleet.room().channel(['fin', 'bob'])
  const { id: eventId } = await say(fleet.as('bob'), roomId, 'x')
  await runPass('fin', 1)
  const { messages, rooms, threads } = fleet.as('fin')
  for (const call of [
    messages.addReaction({ roomId, messageEventId: eventId, emoji: 'tada' }),
    messages.updateMessage({ roomId, eventId, body: 'y' }),
    messages.deleteMessage({ roomId, eventId }),
    rooms.markRoomAsRead({ roomId }),
    threads.followThread({ roomId, threadRootEventId: eventId }),
  ])
    await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated })
  expect((await read(fleet.as('bob'), roomId, eventId))?.reactions).toEqual([])
  for (const table of ['room_markers', 'thread_follows', 'readers'])
    expect(await count(`from ${table} where user_id = $1`, 'fin')).toBe(0)
})
