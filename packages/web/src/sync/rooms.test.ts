import { expect, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { RoomKind } from '@parley/client/contract'
import type { People } from './people.ts'
import { Rooms } from './rooms.ts'

type State = { hasUnread: boolean; archived: boolean }

/** Rooms of a server with one channel. A response has the data of the time of its request, and waits for `respond`. */
function createRooms() {
  let stored: State = { hasUnread: false, archived: false }
  const waiting: (() => void)[] = []
  const read = async () => {
    const { hasUnread, archived } = stored
    await new Promise<void>((resolve) => waiting.push(resolve))
    const room = { id: 'R1', kind: RoomKind.CHANNEL, archived }
    return { rooms: [{ room, viewerState: { hasUnread }, dmMembers: [] }] }
  }
  const listRoomGroups = async () => ({
    groups: [{ items: [{ item: { case: 'room', value: (await read()).rooms[0] } }] }],
  })
  const reloaded: string[] = []
  const batchGetRooms = ({ roomIds }: { roomIds: string[] }) => {
    reloaded.push(...roomIds)
    return read()
  }
  const roomDirectory = { listRoomGroups, listRooms: async () => ({ rooms: [] }), batchGetRooms }
  const markings: (() => void)[] = []
  const markRoomAsRead = async () => {
    await new Promise<void>((resolve) => markings.push(resolve))
    return {}
  }
  const server = { api: { roomDirectory, room: { markRoomAsRead } } } as unknown as MemberClient
  const people = {
    trackChangesDuring: (request: (changes: Map<string, never>) => Promise<unknown>) =>
      request(new Map<string, never>()),
    learn: () => undefined,
  } as unknown as People
  const rooms = new Rooms(server, people, 'Uann', () => false)
  const respond = async (at = 0) => {
    while (waiting.length <= at) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const go of waiting.splice(at, 1)) go()
  }
  const shown = () => {
    const found = rooms.sidebar.value.rooms.get('R1')
    return { hasUnread: found?.viewerState?.hasUnread, archived: found?.room?.archived }
  }
  const requested = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const markRead = async () => {
    const marking = rooms.markRead('R1')
    markings.shift()?.()
    await marking
  }
  const store = (change: Partial<State>) => (stored = { ...stored, ...change })
  return { rooms, respond, requested, shown, store, reloaded, markings, markRead }
}

test('a message that is posted while the rooms are loaded marks its room as unread', async () => {
  const { rooms, respond, shown } = createRooms()
  const loading = rooms.load()
  rooms.onMessagePosted('R1', 'Ubob')
  await respond()
  await loading
  expect(shown().hasUnread).toBe(true)
})

test('a room that is marked as read while the rooms are loaded stays read', async () => {
  const { rooms, respond, shown, store, markRead } = createRooms()
  store({ hasUnread: true })
  const loading = rooms.load()
  await markRead()
  await respond()
  await loading
  expect(shown().hasUnread).toBe(false)
})

test('a message that is posted while its room is marked as read keeps the room unread, if the server says so', async () => {
  const { rooms, respond, requested, shown, store, markings } = createRooms()
  const loading = rooms.load()
  await respond()
  await loading
  const marking = rooms.markRead('R1')
  rooms.onMessagePosted('R1', 'Ubob')
  store({ hasUnread: true })
  markings.shift()?.()
  await marking
  expect(shown().hasUnread).toBe(true)
  await requested(1)
  await respond()
  expect(shown().hasUnread).toBe(true)
})

test('while a room is marked as read twice, the events about both need no request', async () => {
  const { rooms, respond, requested, reloaded, markings } = createRooms()
  const loading = rooms.load()
  await respond()
  await loading
  const [first, second] = [rooms.markRead('R1'), rooms.markRead('R1')]
  markings.shift()?.()
  await first
  rooms.onMessagePosted('R1', 'Ubob')
  rooms.onMarkedAsRead('R1')
  // A request about the room would be sent before this one.
  rooms.refresh('R2')
  await requested(1)
  expect(reloaded).toEqual(['R2'])
  markings.shift()?.()
  await second
})

test('of two loads, the older one is not shown if it arrives later', async () => {
  const { rooms, respond, shown, store } = createRooms()
  const first = rooms.load()
  store({ archived: true })
  const second = rooms.load()
  await respond(1)
  await second
  await respond()
  await first
  expect(shown().archived).toBe(true)
})

test('a room that is reloaded while all rooms are being loaded is not replaced by that older load', async () => {
  const { rooms, respond, shown, store } = createRooms()
  const loading = rooms.load()
  store({ archived: true })
  rooms.refresh('R1')
  await respond(1)
  await respond()
  await loading
  expect(shown().archived).toBe(true)
})

test('the late response about one room does not undo a load of all rooms that was requested after it', async () => {
  const { rooms, respond, requested, shown, store } = createRooms()
  store({ hasUnread: true })
  rooms.refresh('R1')
  await requested(1)
  store({ hasUnread: false, archived: true })
  const loading = rooms.load()
  await respond(1)
  await loading
  rooms.onMessagePosted('R1', 'Ubob')
  await respond()
  await new Promise((resolve) => setImmediate(resolve))
  expect(shown()).toEqual({ hasUnread: true, archived: true })
})
