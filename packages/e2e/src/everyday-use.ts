import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  MessageService,
  PushNotificationService,
  RoomDirectoryService,
  RoomService,
  VoiceCallService,
} from '@parley/contracts/api'
import { PushService } from '@parley/testkit'
import type { FakeLivekit } from '@parley/testkit/livekit'
import { fleet } from './fleet.ts'
import { postJson } from './http.ts'
import { startMediaServer } from './media-server.ts'
import { newPerson, type Person, signIn, theOwner } from './people.ts'
import { newRoom, post } from './rooms.ts'
import { Socket } from './socket.ts'

/** People who use everything that is measured. */
export type Cast = {
  owner: Person
  ada: Person
  bob: Person
  eve: Person
  roomId: string
  /** The direct messages of ada and bob, whose browsers get pushes. */
  dmId: string
  pushService: PushService
  mediaServer: FakeLivekit
}

const statuses: Record<string, number> = { gone: 410, failing: 503, refused: 400 }

/** Creates them. Only one of the browsers of ada gets its pushes. */
export async function assemble(): Promise<Cast> {
  const [owner, ada, bob, eve] = await Promise.all([theOwner(), newPerson('ada'), newPerson('bob'), newPerson('eve')])
  const roomId = await newRoom(owner, [ada, bob, eve])
  const { room } = await bob.call(RoomService.method.startDM, { participantIds: [ada.userId] })
  const [pushService, mediaServer] = await Promise.all([PushService.start(), startMediaServer()])
  pushService.answer = ({ browser }) => ({ status: statuses[browser] ?? 201 })
  const { subscribe } = PushNotificationService.method
  for (const name of ['well', 'failing', 'refused']) await ada.call(subscribe, pushService.browser(name))
  return { owner, ada, bob, eve, roomId, dmId: room?.id ?? '', pushService, mediaServer }
}

/** The actions of the people, and the pause after each. */
const habits: [pauseMs: number, habit: (cast: Cast) => Promise<unknown>][] = [
  [500, writeAtOnce],
  [500, writeTwice],
  [500, readEverything],
  [1_000, continueReading],
  [1_000, leaveWhileAway],
  [1_000, failAsClient],
  [1_000, addRoom],
  [2_000, meet],
  [3_000, signOutElsewhere],
  [3_000, loseBrowser],
  [5_000, requestMail],
]

/** Repeats the actions until disposed. Calls may fail, because something is broken most of the time. */
export function everydayUse(cast: Cast): AsyncDisposable {
  const stopping = new AbortController()
  const running = habits.map(async ([pauseMs, habit]) => {
    while (!stopping.signal.aborted) {
      await habit(cast).catch(() => undefined)
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

let turn = 0
/** Servers take turns. */
const gateway = () => ({ base: fleet().gateways[turn++ % 2 === 0 ? 0 : 1] })
const node = () => fleet().realtimeNodes[turn++ % 2 === 0 ? 0 : 1]

async function writeAtOnce({ ada, bob, roomId }: Cast) {
  const posts = Array.from({ length: 16 }, (_, n) => post(n % 2 ? ada : bob, roomId, `number ${n}`))
  await Promise.all([...posts, post(bob, roomId, `@${ada.login}, and @nobody-${randomBytes(4).toString('hex')}`)])
}

async function writeTwice({ bob, dmId }: Cast) {
  const options = { ...gateway(), headers: { 'idempotency-key': randomBytes(8).toString('hex') } }
  for (let times = 0; times < 2; times++) await post(bob, dmId, 'are you there?', options)
}

async function readEverything({ ada, roomId, dmId }: Cast) {
  await ada.call(RoomDirectoryService.method.listRooms, {}, gateway())
  await ada.call(RoomService.method.getRoomEvents, { roomId }, gateway())
  await ada.call(RoomService.method.markRoomAsRead, { roomId: dmId }, gateway())
}

/** Opens a stream that continues at a position. */
async function streamFrom({ token }: Person, resumePosition = '') {
  const socket = await Socket.open(node())
  await socket.hello(token)
  socket.send({ case: 'subscribeEvents', value: { resumePosition } })
  const { position } = await socket.first('subscribed')
  return Object.assign(socket, { position })
}

async function continueReading({ ada, bob, dmId }: Cast) {
  using first = await streamFrom(ada)
  await post(bob, dmId, 'you may miss this')
  using _again = await streamFrom(ada, first.position)
}

async function leaveWhileAway({ eve, roomId }: Cast) {
  await eve.attempt(RoomService.method.joinRoom, { roomId })
  using first = await streamFrom(eve)
  await eve.call(RoomService.method.leaveRoom, { roomId })
  using _again = await streamFrom(eve, first.position)
}

async function failAsClient({ eve, dmId }: Cast) {
  using socket = await Socket.open(node())
  socket.sendRaw('nonsense')
  await socket.closed()
  await eve.attempt(MessageService.method.createMessage, { roomId: dmId, body: 'let me in' }, gateway())
}

async function addRoom({ owner }: Cast) {
  await newRoom(owner)
}

async function meet({ ada, roomId, mediaServer }: Cast) {
  await ada.call(VoiceCallService.method.joinCall, { roomId }, gateway())
  const { token } = await ada.call(VoiceCallService.method.getCallToken, { roomId })
  await mediaServer.connect(token)
  await ada.call(VoiceCallService.method.leaveCall, { roomId })
}

async function signOutElsewhere({ eve }: Cast) {
  const again = await signIn(eve)
  using socket = await streamFrom(again)
  await postJson(`${gateway().base}/auth/logout`, {}, again.authorization)
  await socket.closed()
}

async function loseBrowser({ ada, pushService }: Cast) {
  await ada.call(PushNotificationService.method.subscribe, pushService.browser('gone'))
}

async function requestMail() {
  await postJson(`${gateway().base}/auth/register`, { email: `${randomBytes(6).toString('hex')}@example.org` })
}
