import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { PresenceStatus } from '@parley/contracts/api'
import { PresenceHintSchema } from '@parley/contracts/internal'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { fakeSocket } from '../../../test/_fake-socket.ts'
import { HintTopics } from './hint-topics.ts'
import { PresenceHints } from './presence-hints.ts'
import { topics } from './topics.ts'
import { UserAccess } from './user-access.ts'

type Socket = ReturnType<typeof fakeSocket>
const { ONLINE, AWAY, OFFLINE } = PresenceStatus

let users: Map<string, UserAccess>
let received: { socket: Socket; userId: string; status: PresenceStatus }[]
let presence: PresenceHints
let version: bigint

beforeEach(() => {
  jest.useFakeTimers()
  users = new Map()
  received = []
  version = 0n
  const sockets = () => [...users.values()].flatMap((user) => [...user.connections] as Socket[])
  const publish = (topic: string, frame: Uint8Array) => {
    const decoded = fromBinary(RealtimeServerFrameSchema, frame).frame
    if (decoded.case !== 'event' || decoded.value.event.case !== 'presenceChanged') throw new Error('no hint')
    const { userId, status } = decoded.value.event.value
    for (const socket of sockets())
      if (socket.subscribedTopics().includes(topic)) received.push({ socket, userId, status })
  }
  presence = new PresenceHints({ publish, users, onUnreadable: () => undefined })
})
afterEach(() => {
  presence[Symbol.dispose]()
  jest.useRealTimers()
})

const hintTopics = new HintTopics()
function openSocketOf(userId: string, buffered = 0): Socket {
  const user = users.get(userId) ?? new UserAccess(userId, [], 1n)
  const socket = fakeSocket({ buffered })
  user.connections.add(socket)
  users.set(userId, user)
  socket.subscribe(topics.user(userId))
  hintTopics.subscribe(socket, user)
  return socket
}

function receiveHint(userId: string, status: PresenceStatus, audience?: string[]): void {
  version++
  const hint = { userId, status, version, ...(audience && { crowded: true, audience }) }
  presence.receive(toBinary(PresenceHintSchema, create(PresenceHintSchema, hint)))
}

test('everybody receives presence changes', () => {
  const [ann, bob] = [openSocketOf('ann'), openSocketOf('bob')]
  receiveHint('cyd', ONLINE)
  expect(received).toEqual([ann, bob].map((socket) => ({ socket, userId: 'cyd', status: ONLINE })))
})

test('if many are online, only the audience of a hint receives it', () => {
  const [ann, second] = [openSocketOf('ann'), openSocketOf('ann')]
  openSocketOf('bob')
  receiveHint('cyd', ONLINE, ['cyd', 'ann', 'elsewhere'])
  receiveHint('dan', ONLINE, ['dan'])
  expect(received).toEqual([ann, second].map((socket) => ({ socket, userId: 'cyd', status: ONLINE })))
})

test('a slow socket of a user in the audience gets no hint', () => {
  const ann = openSocketOf('ann', 1_000_000)
  receiveHint('cyd', ONLINE, ['ann'])
  expect(received).toEqual([])
  expect(ann.subscribedTopics()).toContain(topics.user('ann'))
})

test('if many are online, the status of a person is sent at most once in fifteen seconds', () => {
  openSocketOf('ann')
  for (let n = 0; n < 30; n++) {
    receiveHint('cyd', n % 2 === 0 ? ONLINE : AWAY, ['ann'])
    jest.advanceTimersByTime(1_000)
  }
  receiveHint('cyd', OFFLINE, ['ann'])
  jest.advanceTimersByTime(15_000)
  expect(received.map(({ status }) => status)).toEqual([ONLINE, ONLINE, AWAY, OFFLINE])
})
