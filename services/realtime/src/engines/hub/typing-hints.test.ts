import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { beforeEach, expect, test } from '@jest/globals'
import { TypingHintSchema } from '@parley/contracts/internal'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { fakeSocket } from '../../../test/_fake-socket.ts'
import { HintTopics } from './hint-topics.ts'
import { topics } from './topics.ts'
import { TypingHints } from './typing-hints.ts'
import { UserAccess } from './user-access.ts'

type Socket = ReturnType<typeof fakeSocket>

let users: Map<string, UserAccess>
let received: { socket: Socket; from: string; roomId: string; root: string | undefined }[]
let catchUp: () => void
let unreadable: number
let typing: TypingHints
let clock: number
/** Further subscribers of each topic. */
let others: number

const sockets = () => [...users.values()].flatMap((user) => [...user.connections] as Socket[])
const subscribersOf = (topic: string) => sockets().filter((socket) => socket.subscribedTopics().includes(topic))

beforeEach(() => {
  users = new Map()
  received = []
  others = 0
  unreadable = 0
  clock = 0
  catchUp = () => undefined
  const publish = (topic: string, frame: Uint8Array) => {
    const decoded = fromBinary(RealtimeServerFrameSchema, frame).frame
    if (decoded.case !== 'event' || decoded.value.event.case !== 'userTyping') throw new Error('no hint')
    const { roomId, threadRootEventId: root } = decoded.value.event.value
    for (const socket of subscribersOf(topic))
      received.push({ socket, from: decoded.value.actorId ?? '', roomId, root })
  }
  const countSubscribers = (topic: string) => subscribersOf(topic).length + others
  const hints = { publish, countSubscribers, users, hintTopics, catchUp: () => catchUp() }
  typing = new TypingHints({ ...hints, onUnreadable: () => void unreadable++, now: () => clock })
})

const hintTopics = new HintTopics()

function openSocketOf(userId: string, ...roomIds: string[]): Socket {
  const user = users.get(userId) ?? new UserAccess(userId, [], 1n)
  for (const roomId of roomIds) user.rooms.add(roomId)
  const socket = fakeSocket()
  user.connections.add(socket)
  users.set(userId, user)
  socket.subscribe(topics.user(userId))
  hintTopics.subscribe(socket, user)
  return socket
}

const receiveHint = (hint: MessageInitShape<typeof TypingHintSchema>) =>
  typing.receive(toBinary(TypingHintSchema, create(TypingHintSchema, hint)))

test('members of a channel receive who is typing and where', () => {
  const [ann, second, bob] = [openSocketOf('ann', 'R1'), openSocketOf('ann', 'R1'), openSocketOf('bob', 'R1')]
  openSocketOf('cyd', 'R2')
  const before = sockets().map((socket) => socket.subscribedTopics())
  receiveHint({ roomId: 'R1', userId: 'ann', threadRootEventId: 'E1' })
  receiveHint({ roomId: 'R1', userId: 'bob' })
  typing.flush()
  expect(received).toEqual([
    { socket: bob, from: 'ann', roomId: 'R1', root: 'E1' },
    { socket: ann, from: 'bob', roomId: 'R1', root: undefined },
    { socket: second, from: 'bob', roomId: 'R1', root: undefined },
  ])
  expect(sockets().map((socket) => socket.subscribedTopics())).toEqual(before)
})

test('participants of a direct message receive hints, except on slow sockets', () => {
  const [ann, bob, slow] = [openSocketOf('ann'), openSocketOf('bob'), openSocketOf('bob')]
  openSocketOf('cyd')
  slow.buffered = 65_537
  receiveHint({ roomId: 'R1', userId: 'ann', dmParticipantIds: ['ann', 'bob', 'away'] })
  typing.flush()
  expect(received).toEqual([{ socket: bob, from: 'ann', roomId: 'R1', root: undefined }])
  expect([ann, slow].map((socket) => socket.subscribedTopics())).toEqual([
    ['hints', 'user:ann'],
    ['hints', 'user:bob'],
  ])
})

test('a socket that left the topics of hints does not rejoin them', () => {
  const slow = openSocketOf('ann', 'R1')
  slow.buffered = 65_537
  hintTopics.updateSubscriptions(users.values())
  openSocketOf('bob', 'R1')
  receiveHint({ roomId: 'R1', userId: 'ann' })
  typing.flush()
  expect(slow.subscribedTopics()).toEqual(['user:ann'])
})

test('nothing is sent if more than 500 sockets are subscribed', () => {
  const bob = openSocketOf('bob', 'R1')
  others = 500
  receiveHint({ roomId: 'R1', userId: 'ann' })
  typing.flush()
  expect(received).toEqual([])
  others = 499
  clock = 2_000
  receiveHint({ roomId: 'R1', userId: 'ann' })
  typing.flush()
  expect(received).toMatchObject([{ socket: bob }])
})

test('waiting events are applied before hints are sent, and duplicate hints are merged', () => {
  const [bob, gone] = [openSocketOf('bob', 'R1'), openSocketOf('gone', 'R1')]
  catchUp = () => gone.unsubscribe(topics.roomHints('R1'))
  receiveHint({ roomId: 'R1', userId: 'ann' })
  receiveHint({ roomId: 'R1', userId: 'ann' })
  expect(received).toEqual([])
  typing.flush()
  expect(received.map(({ socket }) => socket)).toEqual([bob])
})

test("a person's hints are limited to three per room in two seconds", () => {
  const [bob] = [openSocketOf('bob', 'R1', 'R2')]
  const flood = () => {
    for (let n = 0; n < 20; n++) {
      receiveHint({ roomId: 'R1', userId: 'ann', threadRootEventId: `E${n}` })
      receiveHint({ roomId: 'R1', userId: 'ann', threadRootEventId: 'E0' })
      typing.flush()
    }
  }
  flood()
  expect(received.map(({ socket, root }) => [socket, root])).toEqual(['E0', 'E1', 'E2'].map((root) => [bob, root]))
  receiveHint({ roomId: 'R2', userId: 'ann' })
  receiveHint({ roomId: 'R1', userId: 'cyd' })
  typing.flush()
  expect(received.slice(3).map(({ from, roomId }) => `${from} ${roomId}`)).toEqual(['ann R2', 'cyd R1'])
  clock = 2_000
  flood()
  expect(received).toHaveLength(8)
})

test('a hint that cannot be decoded is reported and not sent', () => {
  openSocketOf('bob', 'R1')
  typing.receive(Buffer.from('no hint'))
  typing.flush()
  expect([received, unreadable]).toEqual([[], 1])
})
