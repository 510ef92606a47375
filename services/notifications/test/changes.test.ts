import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'
import { and, eq, isNull } from 'drizzle-orm'
import { applyChanges, type Change } from '../src/consumers/changes.ts'
import type { Message } from '../src/domain/message.ts'
import { notifications } from '../src/store/schema.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()
beforeAll(() => fleet.start())

let clock = Date.now() - 3_600_000
const ann = newId('user')
const bob = newId('user')

/** Creates messages for bob, applies changes and reads bob's list. */
function newRoom() {
  const roomId = newId('room')
  let seq = 0n
  const newMessage = (kind: 'reply' | 'mention', of: Partial<Message> = {}): Change & { eventId: string } => {
    const eventId = newId('event')
    const message = {
      ...{ roomId, eventId, messageId: eventId, actorId: ann, roomSeq: ++seq, threadRootEventId: '', inReplyTo: '' },
      ...{ postedAt: new Date(), ...of },
    }
    const display = { roomName: 'den', sender: undefined, others: 0 }
    return { eventId, draft: { message, display, recipients: [{ userId: bob, kind, silent: false }] } }
  }
  const list = async () => {
    const { notifications } = await fleet.as(bob).notifications.listNotifications({})
    return notifications.flatMap(({ kind }) => (kind.value?.room?.id === roomId ? [kind.value.eventId] : []))
  }
  const applyAt = (ms: number, changes: readonly Change[]) =>
    fleet.db.transaction((tx) => applyChanges(tx, changes, new Date(ms)))
  const apply = (...changes: Change[]) => applyAt((clock += 1000), changes)
  return {
    roomId,
    newMessage,
    list,
    apply,
    applyAt,
    place: (root = '') => ({ userId: bob, roomId, threadRootEventId: root, roomSeq: seq, at: new Date() }),
  }
}

const addFakeRoom = (roomId: string) => fleet.fakes.room(roomId, [ann, bob])
const ways = [
  [
    'with changes applied together',
    async (apply: (...changes: Change[]) => Promise<unknown>, changes: Change[]) => void (await apply(...changes)),
  ],
  [
    'with changes applied one by one',
    async (apply: (...changes: Change[]) => Promise<unknown>, changes: Change[]) => {
      for (const change of changes) await apply(change)
    },
  ],
] as const

test.each(ways)('the echo of a reply that was read in its thread notifies nobody, %s', async (_, applyAll) => {
  const room = newRoom()
  addFakeRoom(room.roomId)
  const reply = room.newMessage('reply', { threadRootEventId: 'Eroot' })
  const echo = room.newMessage('mention', { messageId: reply.eventId })
  await applyAll(room.apply, [reply, echo, { read: room.place('Eroot') }])
  expect(await room.list()).toEqual([])
  const later = room.newMessage('mention')
  await applyAll(room.apply, [later])
  expect(await room.list()).toEqual([later.eventId])
})

test.each(ways)(
  'a person who read, left and came back is notified only of later messages, newest first, %s',
  async (_, applyAll) => {
    const room = newRoom()
    addFakeRoom(room.roomId)
    const before = room.newMessage('mention')
    const read = room.place()
    const unread = room.newMessage('mention')
    const { threadRootEventId: _root, ...left } = room.place()
    const changes = [before, { read }, unread, { left }]
    const after = [room.newMessage('mention'), room.newMessage('mention'), room.newMessage('mention')]
    await applyAll(room.apply, [...changes, ...after])
    expect(await room.list()).toEqual(after.map(({ eventId }) => eventId).reverse())
    await applyAll(room.apply, [{ dismissal: { of: 'message', eventId: after[1]?.eventId ?? '' } }, { read }])
    expect(await room.list()).toEqual([after[2]?.eventId, after[0]?.eventId])
  },
)

test.each(ways)('read markers of several rooms dismiss their notifications, %s', async (_, applyAll) => {
  const rooms = [newRoom(), newRoom(), newRoom()]
  for (const { roomId } of rooms) addFakeRoom(roomId)
  const messages = rooms.map((room) => [room.newMessage('mention'), room.newMessage('mention')])
  await applyAll(rooms[0]?.apply ?? (() => Promise.resolve()), messages.flat())
  const read = rooms.slice(0, 2).map((room) => ({ read: room.place() }))
  await applyAll(rooms[0]?.apply ?? (() => Promise.resolve()), [...read, ...read])
  expect(await Promise.all(rooms.map((room) => room.list()))).toEqual([
    [],
    [],
    messages[2]?.map(({ eventId }) => eventId).reverse(),
  ])
})

test('notifications of several batches with the same time are listed newest first', async () => {
  const room = newRoom()
  addFakeRoom(room.roomId)
  const batches = [1, 2, 3].map(() => [
    room.newMessage('mention'),
    room.newMessage('mention'),
    room.newMessage('mention'),
  ])
  for (const batch of batches) await room.applyAt(clock, batch)
  const published = batches.flat().map(({ eventId }) => eventId)
  expect(await room.list()).toEqual(published.reverse())
  clock += published.length
})

test('all notifications are dismissed, even if two dismissals select the same ones', async () => {
  const [room, other] = [newRoom(), newRoom()]
  addFakeRoom(other.roomId)
  for (let batch = 0; batch < 3; batch++) {
    await room.apply(...Array.from({ length: 200 }, () => room.newMessage('mention')))
  }
  const retracted = other.newMessage('mention')
  await other.apply(retracted)
  const { threadRootEventId: _root, ...left } = room.place()
  await room.apply(...[{ left }, { read: room.place() }], {
    dismissal: { of: 'message', eventId: retracted.eventId },
  })
  await eventually(async () => expect(await other.list()).toEqual([]))
  const pending = and(eq(notifications.roomId, room.roomId), isNull(notifications.dismissedAt))
  await eventually(async () => expect(await fleet.db.$count(notifications, pending)).toBe(0))
})
