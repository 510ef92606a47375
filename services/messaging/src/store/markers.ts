import type { Place } from '../domain/marker.ts'
import { statement, type Connection } from './statement.ts'

// Clocks of processes differ: a later place may have an earlier time.
const moveRoom = statement(
  'move_room_marker',
  `insert into room_markers (room_id, user_id, seq, read_at) values ($1, $2, $3, $4)
on conflict (room_id, user_id) do update
set seq = excluded.seq, read_at = greatest(room_markers.read_at, excluded.read_at)
where room_markers.seq < excluded.seq
returning 1`,
)

const moveThread = statement(
  'move_thread_marker',
  `insert into thread_markers (room_id, root_event_id, user_id, seq, read_at) values ($1, $5, $2, $3, $4)
on conflict (room_id, root_event_id, user_id) do update
set seq = excluded.seq, read_at = greatest(thread_markers.read_at, excluded.read_at)
where thread_markers.seq < excluded.seq
returning 1`,
)

/** Moves a user's marker of a room forward; returns false if it is already there or further. */
export async function moveRoomMarker(on: Connection, roomId: string, userId: string, to: Place): Promise<boolean> {
  return (await moveRoom.run(on, [roomId, userId, to.seq, to.at])).length > 0
}

/** The same for a thread. */
export async function moveThreadMarker(
  on: Connection,
  thread: { roomId: string; rootEventId: string },
  userId: string,
  to: Place,
): Promise<boolean> {
  return (await moveThread.run(on, [thread.roomId, userId, to.seq, to.at, thread.rootEventId])).length > 0
}
