import { randomBytes } from 'node:crypto'
import {
  MessageService,
  PushNotificationService,
  RoomDirectoryService,
  RoomService,
  VoiceCallService,
} from '@parley/contracts/api'
import { PushService } from '@parley/testkit'
import type { FakeLivekit } from '@parley/testkit/livekit'
import { disposeTogether, repeatUntilDisposed } from './alerts/repeat-until-disposed.ts'
import { fleet } from './fleet.ts'
import { postJson } from './http.ts'
import { startMediaServer } from './media-server.ts'
import { newPerson, type Person, signIn, signInOwner } from './people.ts'
import { newRoom, post } from './rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

export type EverydayUsers = {
  owner: Person
  ada: Person
  bob: Person
  eve: Person
  roomId: string
  dmId: string
  pushService: PushService
  mediaServer: FakeLivekit
}

/** By name of the browser; 201 for others. */
const pushStatuses: Record<string, number> = { gone: 410, failing: 503, refused: 400 }

export async function createEverydayUsers(): Promise<EverydayUsers> {
  const [owner, ada, bob, eve] = await Promise.all([
    signInOwner(),
    newPerson('ada'),
    newPerson('bob'),
    newPerson('eve'),
  ])
  const roomId = await newRoom(owner, [ada, bob, eve])
  const { room } = await bob.call(RoomService.method.startDM, { participantIds: [ada.userId] })
  const [pushService, mediaServer] = await Promise.all([PushService.start(), startMediaServer()])
  pushService.answer = ({ browser }) => ({ status: pushStatuses[browser] ?? 201 })
  const { subscribe } = PushNotificationService.method
  for (const name of ['well', 'failing', 'refused']) await ada.call(subscribe, pushService.subscribe(name))
  return { owner, ada, bob, eve, roomId, dmId: room?.id ?? '', pushService, mediaServer }
}

const actions: [pauseMs: number, action: (users: EverydayUsers) => Promise<unknown>][] = [
  [500, writeAtOnce],
  [500, writeTwice],
  [500, readEverything],
  [1_000, resumeSocket],
  [1_000, resumeAfterLeave],
  [1_000, makeClientErrors],
  [1_000, createRoom],
  [2_000, joinAndLeaveCall],
  [3_000, signOutElsewhere],
  [3_000, subscribeGoneBrowser],
  [5_000, requestMail],
]

export const startEverydayUse = (users: EverydayUsers): AsyncDisposable =>
  disposeTogether(actions.map(([pauseMs, action]) => repeatUntilDisposed(pauseMs, () => action(users))))

let turn = 0
const nextGateway = () => ({ base: fleet().gateways[turn++ % 2 === 0 ? 0 : 1] })
const nextNode = () => fleet().realtimeNodes[turn++ % 2 === 0 ? 0 : 1]

async function writeAtOnce({ ada, bob, roomId }: EverydayUsers) {
  const posts = Array.from({ length: 16 }, (_, n) => post(n % 2 ? ada : bob, roomId, `number ${n}`))
  await Promise.all([...posts, post(bob, roomId, `@${ada.login}, and @nobody-${randomBytes(4).toString('hex')}`)])
}

async function writeTwice({ bob, dmId }: EverydayUsers) {
  const options = { ...nextGateway(), headers: { 'idempotency-key': randomBytes(8).toString('hex') } }
  for (let times = 0; times < 2; times++) await post(bob, dmId, 'are you there?', options)
}

async function readEverything({ ada, roomId, dmId }: EverydayUsers) {
  await ada.call(RoomDirectoryService.method.listRooms, {}, nextGateway())
  await ada.call(RoomService.method.getRoomEvents, { roomId }, nextGateway())
  await ada.call(RoomService.method.markRoomAsRead, { roomId: dmId }, nextGateway())
}

async function openSocket({ token }: Person, resumePosition = '') {
  const socket = await Socket.open(nextNode())
  await socket.hello(token)
  socket.send({ case: 'subscribeEvents', value: { resumePosition } })
  const { position } = await socket.first('subscribed')
  return Object.assign(socket, { position })
}

async function resumeSocket({ ada, bob, dmId }: EverydayUsers) {
  using first = await openSocket(ada)
  await post(bob, dmId, 'you may miss this')
  using _again = await openSocket(ada, first.position)
}

async function resumeAfterLeave({ eve, roomId }: EverydayUsers) {
  await eve.attempt(RoomService.method.joinRoom, { roomId })
  using first = await openSocket(eve)
  await eve.call(RoomService.method.leaveRoom, { roomId })
  using _again = await openSocket(eve, first.position)
}

async function makeClientErrors({ eve, dmId }: EverydayUsers) {
  using socket = await Socket.open(nextNode())
  socket.sendRaw('nonsense')
  await socket.waitUntilClosed()
  await eve.attempt(MessageService.method.createMessage, { roomId: dmId, body: 'let me in' }, nextGateway())
}

async function createRoom({ owner }: EverydayUsers) {
  await newRoom(owner)
}

async function joinAndLeaveCall({ ada, roomId, mediaServer }: EverydayUsers) {
  await ada.call(VoiceCallService.method.joinCall, { roomId }, nextGateway())
  const { token } = await ada.call(VoiceCallService.method.getCallToken, { roomId })
  await mediaServer.connect(token)
  await ada.call(VoiceCallService.method.leaveCall, { roomId })
}

async function signOutElsewhere({ eve }: EverydayUsers) {
  const again = await signIn(eve)
  using socket = await openSocket(again)
  await postJson(`${nextGateway().base}/auth/logout`, {}, again.authorization)
  await socket.waitUntilClosed()
}

async function subscribeGoneBrowser({ ada, pushService }: EverydayUsers) {
  await ada.call(PushNotificationService.method.subscribe, pushService.subscribe('gone'))
}

async function requestMail() {
  await postJson(`${nextGateway().base}/auth/register`, { email: `${randomBytes(6).toString('hex')}@example.org` })
}
