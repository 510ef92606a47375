import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { recordEvents, eventually, type Recording } from '@parley/testkit'
import { changeReader } from '../src/actions/reading/change-reader.ts'
import { moveRoomMarker, moveThreadMarker } from '../src/store/markers.ts'
import { toRoomReadEvent } from '../src/view/reader-events.ts'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()
let recorded: Recording
beforeAll(async () => {
  recorded = fleet.use(await recordEvents(fleet.bus, 'evt.reader.>'))
})

const post = async (userId: string, roomId: string, more: object = {}) => {
  const { message } = await fleet.as(userId).messages.createMessage({ roomId, body: 'x', ...more })
  if (!message?.createdAt) throw new Error('no message')
  return { id: message.id, createdAt: message.createdAt, channelEchoEventId: message.channelEchoEventId }
}
const markRoom = (userId: string, roomId: string, upToEventId = '') =>
  fleet.as(userId).rooms.markRoomAsRead({ roomId, upToEventId })
const markThread = (userId: string, roomId: string, threadRootEventId: string, upToEventId = '') =>
  fleet.as(userId).threads.markThreadAsRead({ roomId, threadRootEventId, upToEventId })
const roomUnread = async (userId: string, roomId: string) =>
  (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries.some(({ hasUnread }) => hasUnread)

const eventsOf = async (userId: string, count: number) => {
  const mine = await eventually(() => {
    const events = recorded.events.filter(({ aggregateId }) => aggregateId === userId)
    const found = [...new Map(events.map((event) => [event.id, event])).values()]
    return found.length >= count && found
  })
  expect(mine).toHaveLength(count)
  return mine.map((event) => {
    const { kind, actorId, version, fact } = event
    return { kind, actorId, version, fact: fact.value, received: deliveriesOf(event) }
  })
}

describe('the marker of a room', () => {
  test('moves to the requested message, then to the latest', async () => {
    const { roomId } = await fleet.room().channel(['a1', 'b1'])
    const first = await post('a1', roomId)
    const second = await post('a1', roomId)
    const toFirst = await markRoom('b1', roomId, first.id)
    expect(toFirst).toMatchObject({ lastReadAt: first.createdAt })
    expect(toFirst.previousLastReadAt).toBeUndefined()
    expect(await roomUnread('b1', roomId)).toBe(true)
    const toLatest = await markRoom('b1', roomId)
    expect(toLatest).toMatchObject({ lastReadAt: second.createdAt, previousLastReadAt: first.createdAt })
    expect(await roomUnread('b1', roomId)).toBe(false)
    const events = await eventsOf('b1', 2)
    expect(events).toMatchObject([
      {
        kind: 'room_marked_as_read',
        actorId: 'b1',
        version: expect.any(BigInt),
        fact: { roomId, upToRoomSeq: 4n },
      },
      {
        kind: 'room_marked_as_read',
        actorId: 'b1',
        version: expect.any(BigInt),
        fact: { roomId, upToRoomSeq: 5n },
      },
    ])
    const stored = await fleet.pool.query<{ version: bigint }>('select version from readers where user_id = $1', ['b1'])
    expect(events[1]?.version).toBe(stored.rows[0]?.version)
    expect(events[1]?.version).toBeGreaterThan(events[0]?.version ?? 0n)
    expect(events.map((event) => event.received.map(({ to, kind, value }) => ({ to, kind, value })))).toEqual([
      [{ to: ['b1'], kind: 'roomMarkedAsRead', value: { roomId } }],
      [{ to: ['b1'], kind: 'roomMarkedAsRead', value: { roomId } }],
    ])
  })

  test('does not move back, and announces nothing if it stays', async () => {
    const { roomId } = await fleet.room().channel(['a2', 'b2'])
    const first = await post('a2', roomId)
    const second = await post('a2', roomId)
    await markRoom('b2', roomId)
    for (const upTo of ['', first.id, second.id]) {
      const stays = { lastReadAt: second.createdAt, previousLastReadAt: second.createdAt }
      expect(await markRoom('b2', roomId, upTo)).toMatchObject(stays)
    }
    expect(await roomUnread('b2', roomId)).toBe(false)
    await post('a2', roomId)
    await markRoom('b2', roomId)
    await eventsOf('b2', 2)
  })

  test('is not moved by a statement with an older place, which announces nothing', async () => {
    const at = (seq: bigint) => ({ seq, at: new Date(Number(seq)) })
    const thread = { roomId: 'Rany', rootEventId: 'Eany' }
    let woken = 0
    const ctx = { pool: fleet.pool, now: () => new Date(), relay: { wake: () => void woken++ } }
    const move = async (write: Parameters<typeof changeReader>[2]): Promise<boolean> => {
      const before = woken
      await changeReader(ctx, 'b0', write, (change) => toRoomReadEvent(change, 'Rany', 5n))
      return woken > before
    }
    const moved = []
    for (const seq of [5n, 3n, 5n, 6n]) {
      moved.push(await move((on, change) => moveRoomMarker(on, change, 'Rany', at(seq))))
      moved.push(await move((on, change) => moveThreadMarker(on, change, thread, at(seq))))
    }
    expect(moved).toEqual([true, true, false, false, false, false, true, true])
  })

  test('is at the newest message after concurrent requests to move it to each message', async () => {
    const { roomId } = await fleet.room().channel(['a3', 'b3'])
    const posts = []
    for (let n = 0; n < 8; n++) posts.push(await post('a3', roomId))
    await Promise.all([...posts, ...posts].reverse().map(({ id }) => markRoom('b3', roomId, id)))
    expect(await roomUnread('b3', roomId)).toBe(false)
    expect((await markRoom('b3', roomId)).lastReadAt).toEqual(posts.at(-1)?.createdAt)
  })

  test('may be at an echo, but not at a reply, at another event or at a message of another room', async () => {
    const room = await fleet.room().channel(['a4', 'b4'])
    const { roomId } = room
    const other = await fleet.room().channel(['a4', 'b4'])
    const elsewhere = await post('a4', other.roomId)
    const root = await post('a4', roomId)
    const reply = await post('a4', roomId, { threadRootEventId: root.id, alsoSendToChannel: true })
    for (const id of [reply.id, room.facts[1]?.eventId ?? '', elsewhere.id, 'Enothing', 'no id'])
      await expect(markRoom('b4', roomId, id)).rejects.toMatchObject({ code: Code.InvalidArgument })
    await markRoom('b4', roomId, root.id)
    expect(await roomUnread('b4', roomId)).toBe(true)
    await markRoom('b4', roomId, reply.channelEchoEventId)
    expect(await roomUnread('b4', roomId)).toBe(false)
  })

  test('has no time in an empty room', async () => {
    const { roomId } = await fleet.room().channel(['a5'])
    expect((await markRoom('a5', roomId)).lastReadAt).toBeUndefined()
  })

  test('can be moved only by members, in every kind of room', async () => {
    const room = await fleet.room().channel(['a6'])
    await post('a6', room.roomId)
    await expect(markRoom('x6', room.roomId)).rejects.toMatchObject({ code: Code.PermissionDenied })
    await expect(markRoom('a6', 'Rnothing')).rejects.toMatchObject({ code: Code.NotFound })
    await room.setUniversal(true)
    await markRoom('x6', room.roomId)
    expect(await roomUnread('x6', room.roomId)).toBe(false)
    await post('a6', room.roomId)
    await room.archive()
    await markRoom('x6', room.roomId)
    expect(await roomUnread('x6', room.roomId)).toBe(false)
    await room.ban('x6')
    await expect(markRoom('x6', room.roomId)).rejects.toMatchObject({ code: Code.PermissionDenied })
    const direct = await fleet.room().dm(['a6', 'b6'])
    await post('a6', direct.roomId)
    await markRoom('b6', direct.roomId)
    expect(await roomUnread('b6', direct.roomId)).toBe(false)
  })
})

describe('the marker of a thread', () => {
  test('moves to the requested reply, then to the latest; the room stays unread', async () => {
    const { roomId } = await fleet.room().channel(['a7', 'b7'])
    const root = await post('a7', roomId)
    const first = await post('a7', roomId, { threadRootEventId: root.id })
    await post('a7', roomId, { threadRootEventId: root.id })
    expect((await markThread('b7', roomId, root.id, first.id)).previousReadAt).toBeUndefined()
    expect((await markThread('b7', roomId, root.id)).previousReadAt).toEqual(first.createdAt)
    await markThread('b7', roomId, root.id, first.id)
    await markThread('b7', roomId, root.id)
    expect(await roomUnread('b7', roomId)).toBe(true)
    const thread = { roomId, threadRootEventId: root.id }
    expect(await eventsOf('b7', 2)).toMatchObject([
      {
        kind: 'thread_marked_as_read',
        version: expect.any(BigInt),
        fact: { ...thread, upToRoomSeq: 5n },
        received: [],
      },
      {
        kind: 'thread_marked_as_read',
        version: expect.any(BigInt),
        fact: { ...thread, upToRoomSeq: 6n },
        received: [],
      },
    ])
  })

  test("moves with the user's own replies, and may be at the root", async () => {
    const { roomId } = await fleet.room().channel(['a8', 'b8'])
    const root = await post('a8', roomId)
    await markThread('b8', roomId, root.id, root.id)
    const reply = await post('b8', roomId, { threadRootEventId: root.id })
    expect((await markThread('b8', roomId, root.id)).previousReadAt).toEqual(reply.createdAt)
    expect((await markThread('a8', roomId, root.id)).previousReadAt).toBeUndefined()
  })

  test('moves to the root if no reply is shown', async () => {
    const { roomId } = await fleet.room().channel(['a10', 'b10'])
    const root = await post('a10', roomId)
    expect((await markThread('b10', roomId, root.id)).previousReadAt).toBeUndefined()
    expect((await markThread('b10', roomId, root.id)).previousReadAt).toEqual(root.createdAt)
    const other = await post('a10', roomId)
    const reply = await post('a10', roomId, { threadRootEventId: other.id })
    await fleet.as('a10').messages.deleteMessage({ roomId, eventId: reply.id })
    await markThread('b10', roomId, other.id)
    expect((await markThread('b10', roomId, other.id)).previousReadAt).toEqual(other.createdAt)
  })

  test('cannot leave the thread, and requires a root in a channel that the user may read', async () => {
    const { roomId } = await fleet.room().channel(['a9'])
    const [root, other] = [await post('a9', roomId), await post('a9', roomId)]
    const reply = await post('a9', roomId, { threadRootEventId: root.id })
    const elsewhere = await post('a9', roomId, { threadRootEventId: other.id })
    for (const id of [other.id, elsewhere.id, 'Enothing', 'no id'])
      await expect(markThread('a9', roomId, root.id, id)).rejects.toMatchObject({ code: Code.InvalidArgument })
    await expect(markThread('a9', roomId, 'Enothing')).rejects.toMatchObject({ code: Code.NotFound })
    await expect(markThread('a9', roomId, reply.id)).rejects.toMatchObject({ code: Code.InvalidArgument })
    await expect(markThread('x9', roomId, root.id)).rejects.toMatchObject({ code: Code.PermissionDenied })
    const direct = await fleet.room().dm(['a9', 'b9'])
    const message = await post('a9', direct.roomId)
    await expect(markThread('a9', direct.roomId, message.id)).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})
