import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RoomService, ServerService, VoiceCallService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { FakeLivekit } from '@parley/testkit/livekit'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { startMediaServer } from '../src/media-server.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const { joinCall, leaveCall, getCallToken, getActiveCall, listActiveCalls } = VoiceCallService.method

let mediaServer: FakeLivekit
let owner: Person
let ada: Person
let bob: Person

beforeAll(async () => {
  mediaServer = await startMediaServer()
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})
afterAll(async () => mediaServer[Symbol.asyncDispose]())

const callKinds = ['callStarted', 'callParticipantJoined', 'callParticipantLeft', 'callEnded']

const callEventsOf = (socket: Socket, roomId: string) =>
  socket.events.flatMap(({ event, actorId }) => {
    const isOfCall = event.case !== undefined && callKinds.includes(event.case)
    return isOfCall && 'roomId' in event.value && event.value.roomId === roomId ? [[event.case, actorId ?? '']] : []
  })

const connect = async (person: Person, roomId: string) => {
  const { token } = await person.call(getCallToken, { roomId })
  await mediaServer.connect(token)
  await mediaServer.waitUntilSent()
}

test('both members are notified of a call, and a banned one is removed from it and cannot return', async () => {
  const roomId = await newRoom(owner, [ada, bob])
  const [nodeA, nodeB] = fleet().realtimeNodes
  using adaSocket = await Socket.subscribe(nodeA, ada.token)
  using bobSocket = await Socket.subscribe(nodeB, bob.token)
  const [one, other] = fleet().gateways
  expect((await ada.call(joinCall, { roomId }, { base: one })).joined).toBe(true)
  expect((await bob.call(joinCall, { roomId }, { base: other })).joined).toBe(true)
  await connect(ada, roomId)
  await connect(bob, roomId)
  const begun = [
    ['callStarted', ada.userId],
    ['callParticipantJoined', ada.userId],
    ['callParticipantJoined', bob.userId],
  ]
  for (const socket of [adaSocket, bobSocket])
    await eventually(() => expect(callEventsOf(socket, roomId)).toEqual(begun))
  const { call } = await bob.call(getActiveCall, { roomId })
  expect(call?.participants.map(({ user }) => user?.id)).toEqual([ada.userId, bob.userId])
  expect((await ada.call(listActiveCalls, {})).calls.map(({ callId }) => callId)).toContain(call?.callId)

  const before = await bob.call(getCallToken, { roomId })
  await owner.call(RoomService.method.banMember, { roomId, userId: bob.userId, reason: 'noise' })
  await eventually(() =>
    expect(callEventsOf(adaSocket, roomId)).toEqual([...begun, ['callParticipantLeft', bob.userId]]),
  )
  const mediaRoom = `server_${roomId}@${call?.callId}`
  const participants = () => [...(mediaServer.rooms.get(mediaRoom)?.participants.keys() ?? [])]
  await eventually(() => expect(participants()).toEqual([ada.userId]))
  const refused = [await bob.attempt(joinCall, { roomId }), await bob.attempt(getCallToken, { roomId })]
  expect(refused.map(codeOf)).toEqual(['permission_denied', 'permission_denied'])
  await mediaServer.connect(before.token)
  await mediaServer.waitUntilSent()
  await eventually(() => expect(participants()).toEqual([ada.userId]))

  expect((await ada.call(leaveCall, { roomId })).left).toBe(true)
  const ended = [
    ...begun,
    ['callParticipantLeft', bob.userId],
    ['callParticipantLeft', ada.userId],
    ['callEnded', ada.userId],
  ]
  await eventually(() => expect(callEventsOf(adaSocket, roomId)).toEqual(ended))
  await eventually(() => expect(mediaServer.rooms.has(mediaRoom)).toBe(false))
})

test('clients receive the URL of the media server', async () => {
  const { runtime } = await ada.call(ServerService.method.getRuntimeConfig, {})
  expect(runtime?.livekitUrl).toBe(mediaServer.url)
})
