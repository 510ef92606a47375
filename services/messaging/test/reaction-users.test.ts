import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { requestErasure, eventually } from '@parley/testkit'
import { postWithEcho, messageNotFound, errorWith, say } from './_conversation.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

const people = ['ann', 'bob', ...Array.from({ length: 10 }, (_, n) => `p${n}`)]
const room = () => fleet.room().channel(people)

async function react(roomId: string, messageEventId: string, userIds: readonly string[], emoji = 'tada') {
  for (const userId of userIds) await fleet.as(userId).messages.addReaction({ roomId, messageEventId, emoji })
}

type More = { emoji?: string; page?: { limit?: number; offset?: number; cursor?: string } }
const list = (roomId: string, messageEventId: string, more: More = {}, userId = 'ann') =>
  fleet.as(userId).messages.listReactionUsers({ roomId, messageEventId, emoji: 'tada', ...more })

test('users who reacted with an emoji are listed in the order of their reactions', async () => {
  const { roomId } = await room()
  const [{ id }, other] = [await say(fleet.as('ann'), roomId, 'x'), await say(fleet.as('ann'), roomId, 'y')]
  await react(roomId, id, ['p9', 'bob', 'p1', 'ann', 'p3', 'p2', 'p7'])
  await react(roomId, id, ['p5'], 'eyes')
  await react(roomId, other.id, ['p6'])
  await fleet.as('p1').messages.removeReaction({ roomId, messageEventId: id, emoji: 'tada' })
  const answer = await list(roomId, id)
  expect(answer.userIds).toEqual(['p9', 'bob', 'ann', 'p3', 'p2', 'p7'])
  expect(answer.includes?.users['p9']).toMatchObject({ login: 'p9', displayName: 'P9' })
  expect(Object.keys(answer.includes?.users ?? {}).sort()).toEqual([...answer.userIds].sort())
  expect(answer.page).toMatchObject({ totalCount: 6n, hasMore: false, nextCursor: '' })
  expect((await list(roomId, id, { emoji: 'eyes' })).userIds).toEqual(['p5'])
  expect(await list(roomId, id, { emoji: 'heart' })).toMatchObject({ userIds: [], page: { totalCount: 0n } })
})

test('pages lead through all users, even while somebody reacts', async () => {
  const { roomId } = await room()
  const { id } = await say(fleet.as('ann'), roomId, 'x')
  await react(roomId, id, people.slice(0, -1))
  const found: string[] = []
  let cursor = ''
  do {
    const { userIds, page } = await list(roomId, id, { page: { limit: 4, cursor } })
    if (cursor === '') await react(roomId, id, people.slice(-1))
    found.push(...userIds)
    cursor = page?.nextCursor ?? ''
    expect(page?.hasMore).toBe(cursor !== '')
  } while (cursor)
  expect(found).toEqual(people)
  const last = await list(roomId, id, { page: { limit: 3, offset: people.length - 2 } })
  expect(last).toMatchObject({ userIds: people.slice(-2), page: { totalCount: BigInt(people.length), hasMore: false } })
  expect(await list(roomId, id, { page: { offset: 100 } })).toMatchObject({ userIds: [], page: { hasMore: false } })
})

test('a page has 50 users by default, and at most 100', async () => {
  const { roomId } = await room()
  const { id } = await say(fleet.as('ann'), roomId, 'x')
  const many = Array.from({ length: 120 }, (_, n) => `u${String(n).padStart(3, '0')}`)
  const place = `(select seq from room_events where event_id = $1)`
  await fleet.pool.query(
    `insert into reactions select $2, ${place}, 'tada', u, '2026-01-01' from unnest($3::text[]) u`,
    [id, roomId, many],
  )
  await fleet.pool.query(`insert into reaction_tallies select $2, ${place}, 'tada', 120, ($3::text[])[1:5], 1`, [
    id,
    roomId,
    many,
  ])
  const first = await list(roomId, id)
  expect([first.userIds, first.page?.totalCount]).toEqual([many.slice(0, 50), 120n])
  expect((await list(roomId, id, { page: { limit: 500 } })).userIds).toEqual(many.slice(0, 100))
  const second = await list(roomId, id, { page: { limit: 100, cursor: first.page?.nextCursor ?? '' } })
  expect(second.userIds).toEqual(many.slice(50))
})

test('the reactions to an echo are those to its reply', async () => {
  const { roomId } = await room()
  const { reply, echoId } = await postWithEcho(fleet.as('ann'), roomId)
  await react(roomId, echoId, ['bob'])
  expect((await list(roomId, echoId)).userIds).toEqual(['bob'])
  expect((await list(roomId, reply.id)).userIds).toEqual(['bob'])
})

test('while accounts is unavailable, the list has the ids of users without their names', async () => {
  const { roomId } = await room()
  const { id } = await say(fleet.as('ann'), roomId, 'x')
  await react(roomId, id, ['p4'])
  fleet.fakes.profilesUnavailable = true
  try {
    expect(await list(roomId, id)).toMatchObject({ userIds: ['p4'], includes: { users: {} } })
  } finally {
    fleet.fakes.profilesUnavailable = false
  }
})

test('a deleted user is no longer listed', async () => {
  const { roomId } = await room()
  const { id } = await say(fleet.as('ann'), roomId, 'x')
  await react(roomId, id, ['p8', 'bob'])
  await requestErasure(fleet.bus, 'p8', 1)
  await eventually(() => fleet.erasures.found('p8', 1)?.toString() ?? false)
  expect(await list(roomId, id)).toMatchObject({ userIds: ['bob'], page: { totalCount: 1n } })
})

describe('the list is refused', () => {
  test('to non-members, but not because the room is archived', async () => {
    const channel = await room()
    const { roomId } = channel
    const { id } = await say(fleet.as('ann'), roomId, 'x')
    await react(roomId, id, ['bob'])
    await channel.ban('bob')
    for (const userId of ['bob', 'eve'])
      await expect(list(roomId, id, {}, userId)).rejects.toMatchObject(
        errorWith(Code.PermissionDenied, 'you are not a member'),
      )
    await channel.archive()
    expect((await list(roomId, id)).userIds).toEqual(['bob'])
  })

  test('for a direct message of others and an unknown room: not_found', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    const { id } = await say(fleet.as('ann'), roomId, 'x')
    for (const named of [roomId, 'Rnothing', 'a b'])
      await expect(list(named, id, {}, 'eve')).rejects.toMatchObject(errorWith(Code.NotFound, 'room not found'))
  })

  test('for anything but a message of the room, and for a retracted message: not_found', async () => {
    const { roomId } = await room()
    const { id } = await say(fleet.as('ann'), roomId, 'x')
    await react(roomId, id, ['bob'])
    await fleet.as('ann').messages.deleteMessage({ roomId, eventId: id })
    const { reply, echoId } = await postWithEcho(fleet.as('ann'), roomId)
    await fleet.as('ann').messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: false })
    const elsewhere = await say(fleet.as('ann'), (await room()).roomId, 'y')
    const { page } = await fleet.as('ann').rooms.getRoomEvents({ roomId })
    for (const eventId of ['Enothing', 'a b', id, echoId, elsewhere.id, page?.events[0]?.id ?? ''])
      await expect(list(roomId, eventId)).rejects.toMatchObject(messageNotFound)
  })

  test.each<[string, More]>([
    ['an unknown emoji', { emoji: ':tada:' }],
    ['no emoji', { emoji: '' }],
    ['a malformed cursor', { page: { cursor: 'x' } }],
    ['the cursor of another list', { page: { cursor: Buffer.from('["1","2","3"]').toString('base64url') } }],
    ['a limit above 500', { page: { limit: 501 } }],
  ])('with %s: invalid_argument', async (_, more) => {
    const { roomId } = await room()
    const { id } = await say(fleet.as('ann'), roomId, 'x')
    await expect(list(roomId, id, more)).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})
