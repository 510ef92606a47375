import { beforeAll, describe, expect, test } from '@jest/globals'
import { MessageService, RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post, roomName, lobbyId } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { socketsPerTest } from '../src/sockets-per-test.ts'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

const { listenAt: listen } = socketsPerTest()

const kindsOf = (socket: Socket, roomId: string) =>
  socket.events.flatMap(({ event }) =>
    event.value !== undefined && 'roomId' in event.value && event.value.roomId === roomId ? [event.case] : [],
  )

describe('a posted message', () => {
  test('arrives on both nodes, whichever gateway received it', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const [one, other] = fleet().realtimeNodes
    const sockets = [await listen(ada, one), await listen(bob, other), await listen(ada, other)]
    for (const base of fleet().gateways) {
      const eventId = await post(ada, roomId, 'do you hear me?', { base })
      for (const socket of sockets) {
        const envelope = await socket.waitForMessage(eventId)
        expect(envelope).toMatchObject({ id: eventId, actorId: ada.userId })
        expect(envelope.event.value).toMatchObject({ roomId, messageEventId: eventId })
        expect(envelope.createdAt).toBeDefined()
      }
    }
  })

  test('arrives through the proxies of the gateways', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const sockets = await Promise.all(fleet().gateways.flatMap((base) => [listen(ada, base), listen(bob, base)]))
    const eventId = await post(bob, roomId, 'through the gate')
    for (const socket of sockets) await socket.waitForMessage(eventId)
  })

  test('can be fetched as soon as its event arrives', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const socket = await listen(bob, fleet().realtimeNodes[0])
    const fetches: Promise<unknown>[] = []
    for (let i = 0; i < 10; i++) {
      const eventId = post(ada, roomId, `number ${i}`, { base: fleet().gateways[i % 2 === 0 ? 0 : 1] })
      const received = eventually(async () => socket.waitForMessage(await eventId))
      fetches.push(received.then(({ id }) => bob.call(MessageService.method.getMessage, { roomId, eventId: id })))
    }
    const messages = await Promise.all(fetches)
    expect(messages).toHaveLength(10)
  })

  test('arrives once, in the order of the timeline', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const socket = await listen(bob, fleet().realtimeNodes[1])
    const posts = Array.from({ length: 30 }, (_, i) =>
      post(i % 2 === 0 ? ada : bob, roomId, `number ${i}`, { base: fleet().gateways[i % 3 === 0 ? 0 : 1] }),
    )
    for (const eventId of await Promise.all(posts)) await socket.waitForMessage(eventId)
    const { page } = await ada.call(RoomService.method.getRoomEvents, { roomId })
    const written = page?.events.filter(({ event }) => event.case === 'messagePosted').map(({ id }) => id)
    const received = socket.events.filter(({ event }) => event.case === 'messagePosted').map(({ id }) => id)
    expect(received).toEqual(written)
  })

  test('marks the room as read for its author and nobody else', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const [adaSocket, bobSocket] = [
      await listen(ada, fleet().realtimeNodes[0]),
      await listen(bob, fleet().realtimeNodes[0]),
    ]
    const eventId = await post(ada, roomId, 'my own words')
    await adaSocket.waitFor(({ event }) => event.case === 'roomMarkedAsRead' && event.value.roomId === roomId)
    await bobSocket.waitForMessage(eventId)
    await bobSocket.roundTrip()
    expect(kindsOf(bobSocket, roomId)).toEqual(['messagePosted'])
  })

  test('does not reach non-members', async () => {
    const roomId = await newRoom(owner, [ada])
    const outsiders = await Promise.all(fleet().realtimeNodes.map((node) => listen(bob, node)))
    const insiders = await Promise.all(fleet().realtimeNodes.map((node) => listen(ada, node)))
    const eventId = await post(ada, roomId, 'among ourselves')
    for (const socket of insiders) await socket.waitForMessage(eventId)
    for (const socket of outsiders) await socket.roundTrip()
    for (const socket of outsiders) expect(kindsOf(socket, roomId)).toEqual([])
  })
})

describe('membership', () => {
  test('a joiner receives their own join and everything after it, on every socket', async () => {
    const roomId = await newRoom(owner, [ada])
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => listen(bob, node)))
    const member = await listen(ada, fleet().realtimeNodes[0])
    await post(ada, roomId, 'before')
    await bob.call(RoomService.method.joinRoom, { roomId }, { base: fleet().gateways[1] })
    const eventId = await post(bob, roomId, 'here I am')
    for (const socket of [...sockets, member]) {
      await socket.waitForMessage(eventId)
      const joined = socket.events.find(({ event }) => event.case === 'userJoinedRoom')
      expect(joined).toMatchObject({ actorId: bob.userId, event: { value: { roomId } } })
    }
    for (const socket of sockets)
      expect(kindsOf(socket, roomId).slice(0, 2)).toEqual(['userJoinedRoom', 'messagePosted'])
  })

  test('a leaver receives their own leave and nothing after it', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => listen(bob, node)))
    const members = await Promise.all(fleet().realtimeNodes.map((node) => listen(ada, node)))
    await bob.call(RoomService.method.leaveRoom, { roomId }, { base: fleet().gateways[1] })
    const eventId = await post(ada, roomId, 'gone?')
    for (const member of members) {
      await member.waitFor(({ event, actorId }) => event.case === 'userLeftRoom' && actorId === bob.userId)
      await member.waitForMessage(eventId)
    }
    for (const socket of sockets) {
      await socket.waitFor(({ event, actorId }) => event.case === 'userLeftRoom' && actorId === bob.userId)
      await socket.roundTrip()
      expect(kindsOf(socket, roomId)).toEqual(['userLeftRoom'])
    }
  })

  test('a former member receives the events of the room again after returning', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    await bob.call(RoomService.method.leaveRoom, { roomId })
    const [node] = fleet().realtimeNodes
    const [outside, member] = [await listen(bob, node), await listen(ada, node)]
    await member.waitForMessage(await post(ada, roomId, 'without you'))
    await outside.roundTrip()
    expect(kindsOf(outside, roomId)).toEqual([])
    await bob.call(RoomService.method.joinRoom, { roomId })
    const inside = await listen(bob, node)
    const eventId = await post(ada, roomId, 'with you')
    await inside.waitForMessage(eventId)
    await outside.waitForMessage(eventId)
  })
})

describe('rooms', () => {
  test('a new room is announced to its creator, and to others as a change of the layout', async () => {
    const [ownerSocket, bobSocket] = await Promise.all([
      listen(owner, fleet().realtimeNodes[0]),
      listen(bob, fleet().realtimeNodes[1]),
    ])
    const roomId = await newRoom(owner)
    await bobSocket.waitFor(({ event }) => event.case === 'roomGroupsUpdated' && event.value.changed)
    await ownerSocket.waitFor(({ event }) => event.case === 'roomCreated' && event.value.roomId === roomId)
    await ownerSocket.waitFor(({ event }) => event.case === 'userJoinedRoom' && event.value.roomId === roomId)
    await ownerSocket.waitForMessage(await post(owner, roomId, 'first'))
    await bobSocket.roundTrip()
    expect(kindsOf(bobSocket, roomId)).toEqual([])
  })

  test('a universal room is open to everybody from its creation', async () => {
    const sockets = await Promise.all([listen(ada, fleet().realtimeNodes[0]), listen(bob, fleet().realtimeNodes[1])])
    const groupId = await lobbyId(owner)
    const { room } = await owner.call(RoomService.method.createRoom, { name: roomName(), groupId, universal: true })
    const roomId = room?.id ?? ''
    for (const socket of sockets) {
      await socket.waitFor(({ event }) => event.case === 'roomCreated' && event.value.roomId === roomId)
    }
    const eventId = await post(bob, roomId, 'for everyone')
    for (const socket of sockets) await socket.waitForMessage(eventId)
    const late = await listen(await newPerson('eve'), fleet().realtimeNodes[0])
    await late.waitForMessage(await post(ada, roomId, 'for those who come late'))
  })

  test('a post in the room announcements reaches people who never joined it', async () => {
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => listen(bob, node)))
    const { rooms } = await owner.call(RoomDirectoryService.method.listRooms, {})
    const announcements = rooms.find(({ room }) => room?.name === 'announcements')?.room?.id ?? ''
    const eventId = await post(owner, announcements, 'dinner is served')
    for (const socket of sockets) await socket.waitForMessage(eventId)
  })
})

describe('a socket', () => {
  test('receives the version, capabilities and heartbeat interval of the server, and heartbeats', async () => {
    using socket = await Socket.open(fleet().realtimeNodes[0])
    const hello = await socket.hello(ada.token)
    expect(hello).toMatchObject({ protocolVersion: 1, heartbeatIntervalSeconds: 1 })
    expect(hello.serverVersion).toMatch(/^\d+\.\d+\.\d+/)
    expect(hello.capabilities).toEqual(
      expect.arrayContaining(['svc.realtime.events.live.v1', 'svc.realtime.heartbeat.v1', 'svc.realtime.ping.v1']),
    )
    socket.send({ case: 'subscribeEvents', value: {} })
    await socket.first('subscribed')
    await eventually(() => {
      const beats = socket.frames.flatMap((frame) => (frame.case === 'heartbeat' ? [frame.value] : []))
      expect(beats.length).toBeGreaterThan(1)
      expect(new Set(beats.map(({ id }) => id)).size).toBe(beats.length)
      expect(beats[0]?.createdAt).toBeDefined()
    })
  })

  test('receives a pong with the nonce of its ping', async () => {
    const socket = await listen(ada, fleet().gateways[0])
    socket.send({ case: 'ping', value: { nonce: 'tick' } })
    expect(await socket.first('pong')).toMatchObject({ nonce: 'tick' })
  })

  test.each([
    ['the Authorization header', () => ({ authorization: `Bearer ${ada.token}` })],
    ['a protocol version of 0', () => ({ authorization: `Bearer ${ada.token}` })],
  ])('may be opened with %s', async (what, headers) => {
    using socket = await Socket.open(fleet().gateways[1], headers())
    socket.send({ case: 'hello', value: { protocolVersion: what.endsWith('0') ? 0 : 1 } })
    expect((await socket.first('hello')).protocolVersion).toBe(1)
  })
})
