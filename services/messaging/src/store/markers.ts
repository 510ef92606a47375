import type { Place } from '../domain/marker.ts'
import { moveMarker } from './append-parts.ts'
import { defineReaderChange, type ReaderEntry } from './readers.ts'
import type { Connection } from './statement.ts'

const moveRoom = defineReaderChange(
  'mark_room_read',
  `insert into room_markers (room_id, user_id, seq, read_at) select $8, $1, $9::bigint, $10::timestamptz from reader
  ${moveMarker('room_markers', 'room_id, user_id')}
  returning 1`,
)

const moveThread = defineReaderChange(
  'mark_thread_read',
  `insert into thread_markers (room_id, root_event_id, user_id, seq, read_at)
  select $8, $11, $1, $9::bigint, $10::timestamptz from reader
  ${moveMarker('thread_markers', 'room_id, root_event_id, user_id')}
  returning 1`,
)

/** Returns the outbox entry of the event; none if the marker stays or the user's account is deleted. */
export const moveRoomMarker = (on: Connection, change: ReaderEntry, roomId: string, to: Place): Promise<bigint[]> =>
  moveRoom(on, change, [roomId, to.seq, to.at])

export const moveThreadMarker = (
  on: Connection,
  change: ReaderEntry,
  { roomId, rootEventId }: { roomId: string; rootEventId: string },
  to: Place,
): Promise<bigint[]> => moveThread(on, change, [roomId, to.seq, to.at, rootEventId])
