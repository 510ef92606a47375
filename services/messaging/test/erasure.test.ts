import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, requestErasure } from '@parley/testkit'
import { openDatabase, type Database } from '@parley/postgres'
import { startFleet, type Fleet } from './_fleet.ts'

let fleet: Fleet
let look: Database

beforeAll(async () => {
  fleet = await startFleet()
  look = await openDatabase({ url: fleet.database.url, pool: 1, name: 'look' })
})
afterAll(async () => {
  await look[Symbol.asyncDispose]()
  await fleet[Symbol.asyncDispose]()
})

const pass = async (userId: string, number: number) => {
  await requestErasure(fleet.bus, userId, number)
  return eventually(() => fleet.erasures.found(userId, number)?.toString() ?? false)
}
const count = async (statement: string, userId: string) =>
  Number((await look.pool.query<{ count: bigint }>(`select count(*) ${statement}`, [userId])).rows[0]?.count)

test('messages, replies and echoes of a deleted person become placeholders, and everything of theirs alone goes', async () => {
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

  for (const userId of ['gone', 'bob']) await fleet.as(userId).threads.unfollowThread({ roomId, threadRootEventId })

  expect(Number(await pass('gone', 1))).toBeGreaterThan(603)
  expect(await count(`from room_events where actor_id = $1 and body is not null`, 'gone')).toBe(0)
  expect(await count(`from room_events where body like '%' || $1 || '%'`, 'of mine')).toBe(0)
  for (const table of ['room_markers', 'thread_follows', 'thread_markers', 'readers']) {
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
  expect(await pass('gone', 2)).toBe('0')
})

test('a post that was under way when its author was deleted is refused, wherever the author may write', async () => {
  const { roomId } = await fleet.room().channel(['late'])
  const universal = await fleet.room().channel([], { universal: true })
  await pass('late', 1)
  for (const id of [roomId, universal.roomId]) {
    await expect(fleet.as('late').messages.createMessage({ roomId: id, body: 'too late' })).rejects.toMatchObject({
      code: Code.PermissionDenied,
    })
  }
  expect(await count(`from room_events where body = $1`, 'too late')).toBe(0)
})

test('what was written although the author was being deleted is found by the next pass', async () => {
  const { roomId } = await fleet.room().channel(['slow'])
  await fleet.as('slow').messages.createMessage({ roomId, body: 'first' })
  await pass('slow', 1)
  await look.pool.query(
    `update room_events set body = 'slipped through', deleted_at = null where room_id = $1 and kind = 'message_posted'`,
    [roomId],
  )
  expect(await pass('slow', 2)).toBe('1')
  expect(await pass('slow', 3)).toBe('0')
})
