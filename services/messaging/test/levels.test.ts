import { expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import { postWithEcho, say } from './_conversation.ts'
import { useFleet, type Fleet } from './_fleet.ts'

const fleet = useFleet()

const { ALL_MESSAGES, DEFAULT, MUTED, NORMAL } = NotificationLevel

async function unread(userId: string, roomId: string) {
  const { entries } = await fleet.messaging.roomStates({ userId, roomIds: [roomId] })
  const { rooms, followedThreads } = await fleet.messaging.hasUnread({ userId, roleIds: [] })
  const { threads } = await fleet.as(userId).threads.listFollowedThreads({})
  const roomIsUnread = entries.some(({ hasUnread }) => hasUnread)
  return [roomIsUnread, rooms, followedThreads, threads.some(({ thread }) => thread?.viewerState?.hasUnread)]
}
const nothing = [false, false, false, false]
const everything = [true, true, true, true]

const choose: Fleet['publishLevel'] = (...chosen) => fleet.publishLevel(...chosen)

/** The reader has an unread message and follows an unread thread. */
async function createUnreadRoom(reader: string, universal: boolean) {
  const { roomId } = await fleet.room().channel(universal ? ['ann'] : ['ann', reader], { universal })
  const { root, reply } = await postWithEcho(fleet.as('ann'), roomId)
  await fleet.as(reader).threads.followThread({ roomId, threadRootEventId: root.id })
  await say(fleet.as('ann'), roomId, 'more', { threadRootEventId: root.id, inReplyTo: reply.id })
  return roomId
}

test('a muted room is not unread, and neither are its threads', async () => {
  const roomId = await createUnreadRoom('eve', false)
  expect(await unread('eve', roomId)).toEqual(everything)
  await choose('eve', roomId, MUTED, 1n)
  expect(await unread('eve', roomId)).toEqual(nothing)
  await choose('eve', roomId, DEFAULT, 2n)
  expect(await unread('eve', roomId)).toEqual(everything)
})

test('a level takes effect when ApplyNotificationLevel is answered', async () => {
  const roomId = await createUnreadRoom('gil', false)
  await fleet.messaging.applyNotificationLevel({ userId: 'gil', roomId, level: MUTED, version: 2n })
  expect(await unread('gil', roomId)).toEqual(nothing)
  for (const version of [1n, 2n])
    await fleet.messaging.applyNotificationLevel({ userId: 'gil', roomId, level: NORMAL, version })
  expect(await unread('gil', roomId)).toEqual(nothing)
  await choose('gil', roomId, DEFAULT, 3n)
  expect(await unread('gil', roomId)).toEqual(everything)
})

test('ApplyNotificationLevel returns the stored level, even if that is newer than the requested one', async () => {
  const choice = { userId: 'hal', roomId: 'Rany', level: MUTED, version: 7n }
  const held = { heldLevel: MUTED, heldVersion: 7n }
  expect(await fleet.messaging.applyNotificationLevel(choice)).toMatchObject(held)
  expect(await fleet.messaging.applyNotificationLevel({ ...choice, level: NORMAL, version: 6n })).toMatchObject(held)
})

test('the level of the server applies if the room has none', async () => {
  const roomId = await createUnreadRoom('bob', false)
  await choose('bob', '', MUTED, 1n)
  expect(await unread('bob', roomId)).toEqual(nothing)
  for (const [level, version] of [
    [NORMAL, 2n],
    [ALL_MESSAGES, 4n],
  ] as const) {
    await choose('bob', roomId, level, version)
    expect(await unread('bob', roomId)).toEqual(everything)
    await choose('bob', roomId, DEFAULT, version + 1n)
    expect(await unread('bob', roomId)).toEqual(nothing)
  }
  await choose('bob', '', NORMAL, 6n)
  expect(await unread('bob', roomId)).toEqual(everything)
})

test('older levels and levels of other users have no effect', async () => {
  const roomId = await createUnreadRoom('cyd', false)
  await choose('dan', roomId, MUTED, 1n)
  await choose('dan', '', MUTED, 2n)
  await choose('cyd', roomId, NORMAL, 5n)
  await choose('cyd', roomId, MUTED, 4n)
  expect(await unread('cyd', roomId)).toEqual(everything)
  await choose('cyd', roomId, MUTED, 6n)
  await choose('cyd', roomId, DEFAULT, 5n)
  expect(await unread('cyd', roomId)).toEqual(nothing)
})

// The last test, because the universal room stays unread for others.
test('a muted universal room is not unread either', async () => {
  const roomId = await createUnreadRoom('fay', true)
  expect(await unread('fay', roomId)).toEqual(everything)
  await choose('fay', roomId, MUTED, 1n)
  expect(await unread('fay', roomId)).toEqual(nothing)
})
