import { databaseOf } from './databases.ts'

export const longRoomMessage = (n: number): string => `E${String(n).padStart(14, '0')}`

/** One message per minute up to now. A fleet can have only one such room, because the ids are fixed. */
export async function lengthenRoom(roomId: string, authorId: string, messages: number): Promise<void> {
  await using database = await databaseOf('messaging')
  await database.query('begin')
  await database.query(
    `insert into room_events (room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body)
    select l.room_id, l.room_seq + n, 'E' || lpad(n::text, 14, '0'), 'message_posted', true, $2,
      now() - ($3::integer - n) * interval '1 minute',
      'Message ' || n || ', of **ordinary** length, as people write them all day long: see https://example.org/' || n
    from room_lines l, generate_series(1, $3::integer) n where l.room_id = $1`,
    [roomId, authorId, messages],
  )
  await database.query(
    `update room_lines
    set last_message_seq = room_seq + $2::integer, last_message_at = now(), room_seq = room_seq + $2::integer
    where room_id = $1`,
    [roomId, messages],
  )
  await database.query('commit')
}
