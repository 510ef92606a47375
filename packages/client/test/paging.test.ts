import { expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import {
  type GetRoomEventsRequest,
  GetRoomEventsResponseSchema,
  ListUsersResponseSchema,
  RoomService,
} from '@parley/contracts/api'
import { createClient, createRouterTransport } from '@connectrpc/connect'
import { everyPage, newerRoomEvents, olderRoomEvents } from '@parley/client'

/** A room with the events E0 to E6; the cursor of an event is its number. */
function roomOfSeven() {
  const requested: GetRoomEventsRequest[] = []
  const transport = createRouterTransport(({ service }) =>
    service(RoomService, {
      getRoomEvents(request) {
        requested.push(request)
        const limit = request.limit || 50
        const { case: direction, value } = request.cursor
        const start = direction === 'after' ? Number(value) + 1 : Math.max(Number(value ?? 7) - limit, 0)
        const end = direction === 'after' ? Math.min(start + limit, 7) : Number(value ?? 7)
        const rows = Array.from({ length: end - start }, (_, i) => start + i)
        return create(GetRoomEventsResponseSchema, {
          page: {
            events: rows.map((row) => ({ id: `E${row}` })),
            startCursor: `${start}`,
            endCursor: `${end - 1}`,
            hasOlder: direction === 'after' || start > 0,
            hasNewer: direction === 'before' || end < 7,
          },
        })
      },
    }),
  )
  return { requested, rooms: createClient(RoomService, transport) }
}

async function ids(events: AsyncIterable<{ id: string }>) {
  const all: string[] = []
  for await (const { id } of events) all.push(id)
  return all
}

test('older events come newest first, over all pages', async () => {
  const { rooms, requested } = roomOfSeven()
  expect(await ids(olderRoomEvents(rooms, { roomId: 'R1', limit: 3 }))).toEqual([
    ...['E6', 'E5', 'E4', 'E3', 'E2', 'E1', 'E0'],
  ])
  expect(requested.map(({ cursor }) => cursor.value)).toEqual([undefined, '4', '1'])
})

test('older events can start before a cursor, and only the pages that are needed are fetched', async () => {
  const { rooms, requested } = roomOfSeven()
  const events = olderRoomEvents(rooms, { roomId: 'R1', before: '5', limit: 2 })
  expect([(await events.next()).value?.id, (await events.next()).value?.id]).toEqual(['E4', 'E3'])
  await events.return()
  expect(requested).toHaveLength(1)
})

test('newer events come oldest first, up to the newest', async () => {
  const { rooms } = roomOfSeven()
  expect(await ids(newerRoomEvents(rooms, { roomId: 'R1', after: '2', limit: 2 }))).toEqual(['E3', 'E4', 'E5', 'E6'])
  expect(await ids(newerRoomEvents(rooms, { roomId: 'R1', after: '6' }))).toEqual([])
})

test('every page of a list is fetched, with the cursor from the page before', async () => {
  const requested: unknown[] = []
  const next = new Map([
    ['', 'b'],
    ['b', 'c'],
    ['c', ''],
  ])
  const pages = everyPage(
    async (page) => {
      requested.push(page)
      return create(ListUsersResponseSchema, { page: { nextCursor: next.get(page.cursor ?? '') ?? '' } })
    },
    { limit: 20 },
  )
  let count = 0
  for await (const { page } of pages) count += page === undefined ? 0 : 1
  expect(count).toBe(3)
  expect(requested).toEqual(['', 'b', 'c'].map((cursor) => ({ limit: 20, cursor })))
})
