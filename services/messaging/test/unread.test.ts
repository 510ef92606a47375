import { expect, test } from '@jest/globals'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

const state = async (userId: string, roomId: string) => {
  const { entries } = await fleet.messaging.roomStates({ userId, roomIds: [roomId, 'Rnothing'] })
  expect(entries).toHaveLength(1)
  return entries[0]
}
const isUnread = async (userId: string, roomId: string) =>
  (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries.some((entry) => entry.hasUnread)
const hasUnread = async (userId: string, roleIds: string[] = []) =>
  (await fleet.messaging.hasUnread({ userId, roleIds })).rooms

test("a room is unread after another user's message until the user posts", async () => {
  const { roomId } = await fleet.room().dm(['a1', 'b1'])
  expect(await state('a1', roomId)).toMatchObject({ roomId, empty: true, hasUnread: false })
  expect((await state('a1', roomId))?.lastMessageAt).toBeUndefined()
  const { message } = await fleet.as('a1').messages.createMessage({ roomId, body: 'x' })
  expect(await state('a1', roomId)).toMatchObject({ empty: false, hasUnread: false, lastMessageAt: message?.createdAt })
  expect(await state('b1', roomId)).toMatchObject({ empty: false, hasUnread: true })
  expect([await hasUnread('a1'), await hasUnread('b1')]).toEqual([false, true])
  await fleet.as('b1').messages.createMessage({ roomId, body: 'y' })
  expect([await hasUnread('a1'), await hasUnread('b1')]).toEqual([true, false])
})

test('a channel has a state only while it is unread', async () => {
  const { roomId } = await fleet.room().channel(['a8', 'b8'])
  const entriesOf = async (userId: string) => (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries
  const { message } = await fleet.as('a8').messages.createMessage({ roomId, body: 'x' })
  expect(await entriesOf('a8')).toEqual([])
  expect(await entriesOf('b8')).toMatchObject([{ roomId, hasUnread: true, lastMessageAt: message?.createdAt }])
  await fleet.as('b8').rooms.markRoomAsRead({ roomId })
  expect(await entriesOf('b8')).toEqual([])
})

test('an echo makes the room unread, a reply does not', async () => {
  const { roomId } = await fleet.room().channel(['a2', 'b2', 'c2'])
  const root = await fleet.as('a2').messages.createMessage({ roomId, body: 'x' })
  const threadRootEventId = root.message?.id ?? ''
  await fleet.as('b2').messages.createMessage({ roomId, body: 'y', threadRootEventId })
  expect([await hasUnread('a2'), await hasUnread('b2')]).toEqual([false, true])
  expect(await state('c2', roomId)).toMatchObject({ lastMessageAt: root.message?.createdAt })
  await fleet.as('b2').messages.createMessage({ roomId, body: 'z', threadRootEventId, alsoSendToChannel: true })
  expect([await hasUnread('a2'), await hasUnread('b2')]).toEqual([true, false])
})

test('a room that is not universal is unread only for members, and not while archived', async () => {
  const room = await fleet.room().channel(['a3', 'b3'])
  const { roomId } = room
  await fleet.as('a3').messages.createMessage({ roomId, body: 'x' })
  expect(await isUnread('c3', roomId)).toBe(false)
  expect([await hasUnread('b3'), await hasUnread('c3')]).toEqual([true, false])
  await room.archive()
  expect(await hasUnread('b3')).toBe(false)
  await room.unarchive()
  await room.leave('b3')
  expect(await isUnread('b3', roomId)).toBe(false)
  expect(await hasUnread('b3')).toBe(false)
})

test('a universal room is unread for everybody who is not banned', async () => {
  const room = await fleet.room().channel(['a4'], { universal: true })
  const { roomId } = room
  expect(await hasUnread('c4')).toBe(false)
  await fleet.as('a4').messages.createMessage({ roomId, body: 'x' })
  expect(await isUnread('c4', roomId)).toBe(true)
  expect(await hasUnread('c4')).toBe(true)
  await room.ban('c4')
  expect(await isUnread('c4', roomId)).toBe(false)
  expect(await hasUnread('c4')).toBe(false)
  await room.setUniversal(false)
  expect(await hasUnread('d4')).toBe(false)
})

const threadUnread = async (userId: string, roleIds: string[] = []) =>
  (await fleet.messaging.hasUnread({ userId, roleIds })).followedThreads

async function createThread(roomId: string, author: string) {
  const { message } = await fleet.as(author).messages.createMessage({ roomId, body: 'root' })
  const thread = { roomId, threadRootEventId: message?.id ?? '' }
  const reply = (userId: string) => fleet.as(userId).messages.createMessage({ ...thread, body: 'reply' })
  return { thread, reply }
}

test("a followed thread is unread after another user's reply until it is marked as read", async () => {
  const { roomId } = await fleet.room().channel(['a5', 'b5', 'c5'])
  const { thread, reply } = await createThread(roomId, 'a5')
  await reply('b5')
  expect([await threadUnread('a5'), await threadUnread('b5'), await threadUnread('c5')]).toEqual([true, false, false])
  await fleet.as('a5').threads.markThreadAsRead(thread)
  expect(await threadUnread('a5')).toBe(false)
  await reply('a5')
  expect([await threadUnread('a5'), await threadUnread('b5')]).toEqual([false, true])
  await reply('b5')
  expect([await threadUnread('a5'), await threadUnread('b5')]).toEqual([true, false])
  await fleet.as('a5').threads.unfollowThread(thread)
  expect(await threadUnread('a5')).toBe(false)
})

test('threads in archived or unreadable rooms are not unread', async () => {
  const room = await fleet.room().channel(['a6', 'b6'])
  const { reply } = await createThread(room.roomId, 'a6')
  await reply('b6')
  await room.archive()
  expect(await threadUnread('a6')).toBe(false)
  await room.unarchive()
  expect(await threadUnread('a6')).toBe(true)
  await room.leave('a6')
  expect(await threadUnread('a6')).toBe(false)
  await room.setUniversal(true)
  expect(await threadUnread('a6')).toBe(true)
  await room.ban('a6')
  expect(await threadUnread('a6')).toBe(false)
})

test('a room with only retracted messages is neither unread nor empty', async () => {
  const { roomId } = await fleet.room().dm(['a7', 'b7'])
  const { message } = await fleet.as('a7').messages.createMessage({ roomId, body: 'x' })
  await fleet.as('a7').messages.deleteMessage({ roomId, eventId: message?.id ?? '' })
  expect(await state('b7', roomId)).toMatchObject({ empty: false, hasUnread: false, lastMessageAt: message?.createdAt })
})
