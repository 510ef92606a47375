import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import { dataDirAt } from '@parley/local'
import { eventually } from '@parley/testkit'
import { fleet, serverPid } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { waitUntilHealthy } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})
afterEach(waitUntilHealthy)

const eventsAbout = (socket: Socket, roomId: string) =>
  socket.events.filter(
    ({ event }) => event.value !== undefined && 'roomId' in event.value && event.value.roomId === roomId,
  )

test('after the loss of the stream, a user who has left a room gets none of its events, and members get new ones', async () => {
  const roomId = await newRoom(owner, [ada, bob])
  const before = await Promise.all(fleet().realtimeNodes.map((node) => Socket.subscribe(node, bob.token)))
  const eventId = await post(ada, roomId, 'while bob is here')
  for (const socket of before) await socket.waitForMessage(eventId)
  await bob.call(RoomService.method.leaveRoom, { roomId })
  for (const socket of before) await socket.waitFor(({ event }) => event.case === 'userLeftRoom')
  const receivedBefore = before.map((socket) => eventsAbout(socket, roomId).length)

  const pid = serverPid('nats')
  // A frozen server writes nothing and is not replaced, so the store can be deleted.
  process.kill(pid, 'SIGSTOP')
  rmSync(join(dataDirAt(fleet().dataDir).nats, 'store'), { recursive: true })
  process.kill(pid, 'SIGKILL')

  const [adaSockets, bobSockets] = await eventually(
    async () => {
      const opened: Socket[] = []
      try {
        for (const node of fleet().realtimeNodes) {
          opened.push(await Socket.subscribe(node, ada.token), await Socket.subscribe(node, bob.token))
        }
        const news = await post(ada, roomId, 'after the loss')
        for (const socket of [opened[0], opened[2]]) await socket?.waitForMessage(news)
        return [
          [opened[0], opened[2]],
          [opened[1], opened[3]],
        ] as const
      } catch (error) {
        opened.forEach((socket) => socket[Symbol.dispose]())
        throw error
      }
    },
    { timeoutMs: 60_000 },
  )
  // Events that are relayed again arrive before those of later posts.
  const last = await post(ada, roomId, 'and on it goes')
  for (const socket of adaSockets) await socket?.waitForMessage(last)
  for (const socket of bobSockets) {
    await socket?.roundTrip()
    expect(socket && eventsAbout(socket, roomId)).toEqual([])
  }
  before.forEach((socket, i) => {
    expect(eventsAbout(socket, roomId)).toHaveLength(receivedBefore[i] ?? 0)
    if (socket.isClosed)
      expect(socket.frames.at(-1)).toMatchObject({ case: 'close', value: { code: 'stream_closed', reconnect: true } })
  })
  ;[...before, ...adaSockets, ...bobSockets].forEach((socket) => socket?.[Symbol.dispose]())
})
