import type { Fleet } from '@parley/local'
import { writeRows } from './write-rows.ts'

/** Size of the long room. Every tenth message is a reply in its only thread. */
export const longRoomSize = { messages: 1_000_000, replies: 100_000 }

export const messageId = (n: number): string => `E${String(n).padStart(14, '0')}`

export const rootId = messageId(1)
const sqlId = (n: string) => `'E' || lpad((${n})::text, 14, '0')`

/**
 * Writes messages of one author into a room, all with the current time. `replies` must be a tenth of `messages`, and
 * are replies in the thread of {@link rootId}. Works once per room.
 */
export function writeMessages(
  fleet: Fleet,
  roomId: string,
  authorId: string,
  { messages, replies }: typeof longRoomSize = longRoomSize,
): Promise<void> {
  return writeRows(fleet.postgresUrl('parley_messaging'), [
    [
      `insert into room_events (
        room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body, thread_root_event_id
      )
      select l.room_id, l.room_seq + n, ${sqlId('n')}, 'message_posted', n % 10 <> 0, $2, now(),
        'A message of ordinary length, as people write them all day long.', case when n % 10 = 0 then $4 end
      from room_lines l, generate_series(1, $3::integer) n where l.room_id = $1`,
      [roomId, authorId, messages, rootId],
    ],
    [
      `insert into threads (room_id, root_event_id, reply_count, last_reply_at, last_reply_seq, participant_ids)
      select room_id, $2, $3, now(), room_seq + $4::integer, array[$5] from room_lines where room_id = $1`,
      [roomId, rootId, replies, messages, authorId],
    ],
    [
      `update room_lines
      set last_message_seq = room_seq + $2::integer - 1, last_message_at = now(), room_seq = room_seq + $2::integer
      where room_id = $1`,
      [roomId, messages],
    ],
  ])
}
