import { beforeAll, expect, test } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { timelineOf } from '../src/timeline.ts'
import { Traffic } from '../src/traffic.ts'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

test('a user who leaves during concurrent posts receives none after the leave', async () => {
  const roomId = await newRoom(owner, [ada])
  const leaver = await Promise.all(fleet().realtimeNodes.map((node) => Socket.subscribe(node, bob.token)))
  const member = await Promise.all(fleet().realtimeNodes.map((node) => Socket.subscribe(node, ada.token)))
  const traffic = new Traffic(6, 1, (n) =>
    ada.attempt(
      MessageService.method.createMessage,
      { roomId, body: `number ${n}` },
      { base: fleet().gateways[n % 2 === 0 ? 0 : 1] },
    ),
  )
  const waitForFivePosts = async () => {
    const before = traffic.succeeded.length
    while (traffic.succeeded.length < before + 5) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  for (let round = 0; round < 8; round++) {
    await bob.call(RoomService.method.joinRoom, { roomId }, { base: fleet().gateways[round % 2 === 0 ? 0 : 1] })
    await waitForFivePosts()
    await bob.call(RoomService.method.leaveRoom, { roomId }, { base: fleet().gateways[round % 2 === 0 ? 1 : 0] })
    const refused = await bob.attempt(RoomService.method.getRoomEvents, { roomId })
    expect(refused.status).toBe(403)
    await waitForFivePosts()
  }
  await traffic.stop()
  expect(traffic.failed).toEqual([])

  const timeline = await timelineOf(ada, roomId)
  const relevant = timeline.filter(({ event, actorId }) => event.case === 'messagePosted' || actorId === bob.userId)
  let inside = false
  const forBob = relevant.flatMap(({ id, event }) => {
    if (event.case === 'userJoinedRoom') inside = true
    const receives = inside
    if (event.case === 'userLeftRoom') inside = false
    return receives ? [id] : []
  })
  const last = timeline.filter(({ event }) => event.case === 'messagePosted').at(-1)?.id ?? ''
  for (const socket of member) await socket.waitForMessage(last)
  for (const socket of leaver) {
    await socket.roundTrip()
    const received = socket.events.filter(
      ({ event }) => event.value !== undefined && 'roomId' in event.value && event.value.roomId === roomId,
    )
    expect(received.map(({ id }) => id)).toEqual(forBob)
  }
  ;[...leaver, ...member].forEach((socket) => socket[Symbol.dispose]())
})
