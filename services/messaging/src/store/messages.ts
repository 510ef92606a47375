import type { EventRow } from '../domain/event-row.ts'
import { readableEvents, type Readable } from './readable-events.ts'
import type { Connection } from './statement.ts'

const byIds = readableEvents(
  'read_events_by_id',
  `select * from room_events where room_id = $1 and event_id = any ($3::text[]) and kind = 'message_posted'`,
)

/** Returns the given ids that are messages of the room, placeholders of retracted ones included. */
export function readMessages(
  on: Connection,
  reader: { roomId: string; userId: string },
  eventIds: readonly string[],
): Promise<Readable | undefined> {
  return byIds.run(on, [reader.roomId, reader.userId, eventIds])
}

/** A message as its author sees it, without a check of access. */
export async function findOwnMessage(
  on: Connection,
  roomId: string,
  authorId: string,
  eventId: string,
): Promise<EventRow | undefined> {
  const found = await readMessages(on, { roomId, userId: authorId }, [eventId])
  return found?.events[0]
}
