import type { EventRow } from '../domain/event-row.ts'
import { defineEventQuery, type EventsWithAccess } from './readable-events.ts'
import type { Connection } from './statement.ts'

const byIds = defineEventQuery(
  'read_events_by_id',
  `select * from room_events where room_id = $1 and event_id = any ($3::text[]) and kind = 'message_posted'`,
)

/** Reads messages, including retracted ones. Returns undefined if the room is unknown. */
export function readMessages(
  on: Connection,
  reader: { roomId: string; userId: string },
  eventIds: readonly string[],
): Promise<EventsWithAccess | undefined> {
  return byIds.run(on, [reader.roomId, reader.userId, eventIds])
}

/** Finds a message as its author sees it, even if the author may no longer read the room. */
export async function findOwnMessage(
  on: Connection,
  roomId: string,
  authorId: string,
  eventId: string,
): Promise<EventRow | undefined> {
  const found = await readMessages(on, { roomId, userId: authorId }, [eventId])
  return found?.events[0]
}
