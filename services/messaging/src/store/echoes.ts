import { statement, type Connection } from './statement.ts'

export type NewEcho = {
  roomId: string
  seq: bigint
  eventId: string
  authorId: string
  createdAt: Date
  reply: { seq: bigint; eventId: string; threadRootEventId: string }
}

const add = statement(
  'add_echo',
  `with echo as (
  insert into room_events (
    room_id, seq, event_id, kind, in_timeline, actor_id, created_at, echo_of_event_id, echo_from_thread_root_event_id
  ) values ($1, $2, $3, 'message_posted', true, $4, $5, $6, $7)
), reply as (
  update room_events set channel_echo_event_id = $3 where room_id = $1 and seq = $8
), marker as (
  insert into room_markers (room_id, user_id, seq, read_at) values ($1, $4, $2, $5)
  on conflict (room_id, user_id) do update
  set seq = excluded.seq, read_at = greatest(room_markers.read_at, excluded.read_at)
  where room_markers.seq < excluded.seq
)
update room_lines set last_message_seq = $2, last_message_at = greatest(last_message_at, $5) where room_id = $1`,
)

/** Stores the echo, and marks the room as read by the author up to the echo. The log must be locked. */
export async function addEcho(on: Connection, echo: NewEcho): Promise<void> {
  const { roomId, seq, eventId, authorId, createdAt, reply } = echo
  await add.run(on, [roomId, seq, eventId, authorId, createdAt, reply.eventId, reply.threadRootEventId, reply.seq])
}
