import { beforeAll, expect, test } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import { fleet } from '../src/fleet.ts'
import type { Kind } from '../src/listeners.ts'
import { causeRoomEvents, revokes } from '../src/matrix/revokes.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import type { Socket } from '@parley/testkit/realtime-socket'
import { socketsPerTest } from '../src/sockets-per-test.ts'

let owner: Person
let ada: Person
/** A universal room for messages that prove that all earlier events have arrived. */
let plaza: string
beforeAll(async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  plaza = await newRoom(owner, [], { universal: true })
})

const { listenAt } = socketsPerTest()
const listen = (person: Person) =>
  Promise.all([...fleet().realtimeNodes, ...fleet().realtimeNodes].map((node) => listenAt(person, node)))

const kindsAbout = (socket: Socket, roomId: string): Kind[] => {
  const about = socket.events.filter(
    ({ event }) =>
      event.case === 'sessionTerminated' ||
      (event.value !== undefined && 'roomId' in event.value && event.value.roomId === roomId),
  )
  return [...new Map(about.map(({ id, event }) => [id, event.case])).values()].filter((kind) => kind !== undefined)
}

test.each(revokes)(
  'no later event of a room reaches people who $how',
  async ({ isUniversal, revoke, receives, closesSockets }) => {
    const victim = await newPerson('vic')
    const roomId = await newRoom(owner, isUniversal ? [] : [ada, victim], { universal: isUniversal })
    const [victimSockets, memberSockets] = [await listen(victim), await listen(ada)]
    const before = await post(ada, roomId, 'are you there?')
    for (const socket of victimSockets) await socket.waitForMessage(before)
    const receivedBefore = victimSockets.map((socket) => kindsAbout(socket, roomId))

    await revoke({ owner, victim, roomId })
    // Members of a formerly universal room must join again; in other rooms this has no effect.
    await ada.call(RoomService.method.joinRoom, { roomId })
    const last = await causeRoomEvents(roomId, owner, ada)
    for (const socket of memberSockets) await socket.waitForMessage(last)
    const marker = await post(owner, plaza, 'marker')
    for (const [i, socket] of victimSockets.entries()) {
      if (closesSockets) await socket.waitUntilClosed()
      else await socket.waitForMessage(marker)
      expect(kindsAbout(socket, roomId)).toEqual([...(receivedBefore[i] ?? []), ...receives])
    }
  },
)
