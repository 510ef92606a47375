import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import {
  postWithEcho,
  messageNotFound,
  read,
  recordRoomEvents,
  errorWith,
  say,
  findInTimeline,
  clientEventsOf,
} from './_conversation.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

const room = async () => (await fleet.room().channel(['ann', 'bob', 'mod'])).roomId
const [ann, bob, mod] = [() => fleet.as('ann'), () => fleet.as('bob'), () => fleet.as('mod', ['moderator'])]
const unread = async (userId: string, roomId: string) =>
  (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries.some(({ hasUnread }) => hasUnread)

describe('retracting a message', () => {
  test('leaves a placeholder in its place and is announced once', async () => {
    const roomId = await room()
    const { id: eventId, createdAt } = await say(ann(), roomId, 'words')
    const answer = await say(bob(), roomId, 'answer', { inReplyTo: eventId })
    await using recorded = await recordRoomEvents(fleet, roomId)
    expect(await ann().messages.deleteMessage({ roomId, eventId })).toMatchObject({ deleted: true })
    expect(await ann().messages.deleteMessage({ roomId, eventId })).toMatchObject({ deleted: true })
    const placeholder = await findInTimeline(bob(), roomId, eventId)
    expect(placeholder).toMatchObject({ id: eventId, createdAt, actorId: 'ann', deletedAt: expect.anything() })
    expect(placeholder?.body).toBeUndefined()
    await expect(read(bob(), roomId, eventId)).rejects.toMatchObject(messageNotFound)
    const batch = await bob().messages.batchGetMessages({ roomId, eventIds: [eventId, answer.id] })
    expect(batch.messages.map(({ id }) => id)).toEqual([answer.id])
    const { id: nextId } = await say(bob(), roomId, 'next')
    await eventually(() => recorded.events.length === 2)
    expect(recorded.events[1]?.id).toBe(nextId)
    expect(recorded.events[0]).toMatchObject({ version: 7n, actorId: 'ann' })
    expect(recorded.events[0]?.fact).toMatchObject({
      case: 'messageRetracted',
      value: {
        ...{ roomSeq: 7n, messageEventId: eventId, removedAssetIds: [], threadRootEventId: '' },
        echoOnly: false,
      },
    })
    expect(clientEventsOf(recorded.events)[0]).toEqual({
      kind: 'message_retracted',
      deliveries: [{ to: roomId, kind: 'messageRetracted', roomId, messageEventId: eventId }],
    })
  })

  test('of another user requires message.manage, even if it is already retracted', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const deleting = bob().messages.deleteMessage({ roomId, eventId })
    await expect(deleting).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.manage'))
    await mod().messages.deleteMessage({ roomId, eventId })
    expect(await findInTimeline(ann(), roomId, eventId)).toMatchObject({ actorId: 'ann', deletedAt: expect.anything() })
    const again = bob().messages.deleteMessage({ roomId, eventId })
    await expect(again).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.manage'))
  })

  test('requires membership, and a message of the room', async () => {
    const channel = await fleet.room().channel(['ann', 'bob'])
    const { roomId } = channel
    const { id: eventId } = await say(ann(), roomId, 'x')
    const elsewhere = await say(ann(), await room(), 'x')
    const { page } = await ann().rooms.getRoomEvents({ roomId })
    for (const id of ['Enothing', elsewhere.id, page?.events[0]?.id ?? '']) {
      await expect(ann().messages.deleteMessage({ roomId, eventId: id })).rejects.toMatchObject(messageNotFound)
    }
    await channel.leave('ann')
    const outside = ann().messages.deleteMessage({ roomId, eventId })
    await expect(outside).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
    expect((await read(bob(), roomId, eventId))?.body).toBe('x')
  })

  test('is possible in an archived room', async () => {
    const channel = await fleet.room().channel(['ann', 'bob'])
    const { id: eventId } = await say(ann(), channel.roomId, 'x')
    await channel.archive()
    await ann().messages.deleteMessage({ roomId: channel.roomId, eventId })
    expect(await findInTimeline(bob(), channel.roomId, eventId)).toMatchObject({ deletedAt: expect.anything() })
  })
})

describe('an echo', () => {
  test('retracted alone disappears, and its reply stays', async () => {
    const roomId = await room()
    const { root, reply, echoId } = await postWithEcho(ann(), roomId)
    await using recorded = await recordRoomEvents(fleet, roomId)
    await ann().messages.deleteMessage({ roomId, eventId: echoId })
    expect(await ann().messages.deleteMessage({ roomId, eventId: echoId })).toMatchObject({ deleted: true })
    expect(await findInTimeline(bob(), roomId, echoId)).toBeUndefined()
    const around = bob().rooms.getRoomEventsAround({ roomId, eventId: echoId })
    await expect(around).rejects.toMatchObject({ code: Code.NotFound })
    expect(await read(bob(), roomId, reply.id)).toMatchObject({ body: 'reply', channelEchoEventId: '' })
    const { id: nextId } = await say(bob(), roomId, 'next')
    await eventually(() => recorded.events.length === 2)
    expect(recorded.events[1]?.id).toBe(nextId)
    expect(recorded.events[0]?.fact).toMatchObject({ value: { messageEventId: echoId, echoOnly: true } })
    expect(clientEventsOf(recorded.events)[0]?.deliveries).toMatchObject([
      { kind: 'messageRetracted', messageEventId: echoId, threadRootEventId: root.id },
    ])
  })

  test('can be retracted alone by a moderator, too', async () => {
    const roomId = await room()
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await mod().messages.deleteMessage({ roomId, eventId: echoId })
    expect(await findInTimeline(bob(), roomId, echoId)).toBeUndefined()
    expect((await read(bob(), roomId, reply.id))?.body).toBe('reply')
  })

  test('is retracted with its reply: two placeholders, one event', async () => {
    const roomId = await room()
    const { root, reply, echoId } = await postWithEcho(ann(), roomId)
    await using recorded = await recordRoomEvents(fleet, roomId)
    await ann().messages.deleteMessage({ roomId, eventId: reply.id })
    const echo = await findInTimeline(bob(), roomId, echoId)
    expect(echo).toMatchObject({ echoOfEventId: reply.id, deletedAt: expect.anything() })
    expect(echo?.body).toBeUndefined()
    for (const eventId of [reply.id, echoId])
      await expect(read(bob(), roomId, eventId)).rejects.toMatchObject(messageNotFound)
    expect(await ann().messages.deleteMessage({ roomId, eventId: echoId })).toMatchObject({ deleted: true })
    const { id: nextId } = await say(bob(), roomId, 'next')
    await eventually(() => recorded.events.length === 2)
    expect(recorded.events[1]?.id).toBe(nextId)
    expect(recorded.events[0]?.fact).toMatchObject({
      value: { messageEventId: reply.id, channelEchoEventId: echoId, threadRootEventId: root.id, echoOnly: false },
    })
    expect(clientEventsOf(recorded.events)[0]?.deliveries).toEqual([
      {
        ...{ to: roomId, kind: 'messageRetracted', roomId },
        ...{ messageEventId: reply.id, threadRootEventId: root.id },
      },
    ])
  })
})

describe('a retracted message', () => {
  test('no longer makes its room unread, and neither does its echo', async () => {
    const roomId = await room()
    await say(bob(), roomId, 'seen by bob')
    const { id: eventId } = await say(ann(), roomId, 'x')
    expect(await unread('bob', roomId)).toBe(true)
    await ann().messages.deleteMessage({ roomId, eventId })
    expect([await unread('bob', roomId), await unread('ann', roomId)]).toEqual([false, false])
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await say(bob(), roomId, 'seen')
    const { message } = await ann().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: true })
    expect(message?.channelEchoEventId).toBe(echoId)
    await ann().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: false })
    expect(await unread('bob', roomId)).toBe(false)
    await ann().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: true })
    expect(await unread('bob', roomId)).toBe(true)
    await ann().messages.deleteMessage({ roomId, eventId: reply.id })
    expect(await unread('bob', roomId)).toBe(false)
  })

  test('leaves the room non-empty even if it was the only message', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    const { id: eventId, createdAt } = await say(ann(), roomId, 'x')
    await ann().messages.deleteMessage({ roomId, eventId })
    const { entries } = await fleet.messaging.roomStates({ userId: 'bob', roomIds: [roomId] })
    expect(entries[0]).toMatchObject({ empty: false, hasUnread: false, lastMessageAt: createdAt })
  })

  test('does not count as a reply', async () => {
    const roomId = await room()
    const root = await say(ann(), roomId, 'root')
    const inThread = { threadRootEventId: root.id }
    const first = await say(bob(), roomId, 'one', inThread)
    const second = await say(ann(), roomId, 'two', inThread)
    const third = await say(bob(), roomId, 'three', inThread)
    const summary = async () => (await read(bob(), roomId, root.id))?.thread
    expect(await summary()).toMatchObject({ replyCount: 3, participantPreviewUserIds: ['bob', 'ann'] })
    await bob().messages.deleteMessage({ roomId, eventId: third.id })
    expect(await summary()).toMatchObject({ replyCount: 2, lastReplyAt: second.createdAt, participantCount: 2 })
    await bob().messages.deleteMessage({ roomId, eventId: first.id })
    expect(await summary()).toMatchObject({ replyCount: 1, lastReplyAt: second.createdAt })
    expect((await summary())?.participantPreviewUserIds).toEqual(['ann'])
    await ann().messages.deleteMessage({ roomId, eventId: second.id })
    expect(await summary()).toMatchObject({ replyCount: 0, participantCount: 0, participantPreviewUserIds: [] })
    expect((await summary())?.lastReplyAt).toBeUndefined()
    const again = await say(bob(), roomId, 'four', inThread)
    expect(await summary()).toMatchObject({ replyCount: 1, lastReplyAt: again.createdAt, participantCount: 1 })
  })

  test('keeps its thread if it was the root', async () => {
    const roomId = await room()
    const root = await say(ann(), roomId, 'root')
    const reply = await say(bob(), roomId, 'reply', { threadRootEventId: root.id })
    await ann().messages.deleteMessage({ roomId, eventId: root.id })
    expect((await findInTimeline(bob(), roomId, root.id))?.thread).toMatchObject({ replyCount: 1, participantCount: 1 })
    expect((await read(bob(), roomId, reply.id))?.body).toBe('reply')
  })

  test('has no text left in the database', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'a very rare word')
    await ann().messages.updateMessage({ roomId, eventId, body: 'another very rare word' })
    await ann().messages.deleteMessage({ roomId, eventId })
    const { pool } = fleet
    const { rows } = await pool.query(`select from room_events where room_id = $1 and body like '%rare word%'`, [
      roomId,
    ])
    expect(rows).toEqual([])
    const outbox = await pool.query(`select from outbox where position('rare word'::bytea in payload) > 0`)
    expect(outbox.rows).toEqual([])
  })
})
