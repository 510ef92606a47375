import type { Client } from '@connectrpc/connect'
import type { RoomService, RoomTimelineEvent } from '@parley/contracts/api'

type Rooms = Pick<Client<typeof RoomService>, 'getRoomEvents'>

/**
 * Reads a room's timeline backwards, newest event first, page by page. `before` is the start cursor of a page that was
 * read before; without it, reading starts at the newest event. `limit` is the requested number of events per page.
 */
export async function* olderRoomEvents(
  rooms: Rooms,
  request: { roomId: string; before?: string; limit?: number },
): AsyncGenerator<RoomTimelineEvent, void, undefined> {
  const { roomId, limit = 0 } = request
  for (let before = request.before; ;) {
    const { page } = await rooms.getRoomEvents({
      ...{ roomId, limit },
      ...(before === undefined ? {} : { cursor: { case: 'before', value: before } as const }),
    })
    if (page === undefined || page.events.length === 0) return
    yield* page.events.toReversed()
    if (!page.hasOlder) return
    before = page.startCursor
  }
}

/**
 * Reads a room's timeline forwards, oldest first, page by page, up to the newest event. `after` is the end cursor of a
 * page that was read before.
 */
export async function* newerRoomEvents(
  rooms: Rooms,
  request: { roomId: string; after: string; limit?: number },
): AsyncGenerator<RoomTimelineEvent, void, undefined> {
  const { roomId, limit = 0 } = request
  for (let after = request.after; ;) {
    const { page } = await rooms.getRoomEvents({ roomId, limit, cursor: { case: 'after', value: after } })
    if (page === undefined || page.events.length === 0) return
    yield* page.events
    if (!page.hasNewer) return
    after = page.endCursor
  }
}
