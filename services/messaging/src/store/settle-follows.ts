import { isUnread } from '../domain/marker.ts'
import { statement, type Connection } from './statement.ts'

/** Up to this number of followed threads in rooms without a watermark, visiting the threads is faster than settling. */
export const maxFollowsWithoutWatermark = 500
/** A watermark that is more than this number of places behind the end of its room is moved. */
export const maxPlacesAfterWatermark = 1000

/**
 * $1 user, $2 rooms. The follows are locked before their flags are read, so the later of two concurrent runs sees the
 * flags that the other set, and its own flags match its watermark.
 */
const settle = statement(
  'settle_follows',
  `with follow as materialized (
  select room_id, root_event_id, settled from thread_follows
  where user_id = $1 and room_id = any ($2::text[])
  order by room_id, root_event_id for no key update
), state as materialized (
  select f.*, not ${isUnread('t.last_reply_seq', 'r.seq', 'false')} as is_read
  from follow f
  left join threads t on t.room_id = f.room_id and t.root_event_id = f.root_event_id
  left join thread_markers r on r.room_id = f.room_id and r.root_event_id = f.root_event_id and r.user_id = $1
), changed as (
  update thread_follows f set settled = s.is_read from state s
  where f.room_id = s.room_id and f.root_event_id = s.root_event_id and f.user_id = $1 and s.settled <> s.is_read
)
insert into thread_watermarks (user_id, room_id, seq)
select $1, l.room_id, l.room_seq from room_lines l
where l.room_id in (select room_id from follow) and not exists (select from erasures where user_id = $1)
order by l.room_id
on conflict (user_id, room_id) do update set seq = excluded.seq`,
)

/**
 * Settles the read threads that a user follows, unsettles the others, and moves the watermarks to the last places of
 * the rooms.
 */
export async function settleFollows(on: Connection, userId: string, roomIds: readonly string[]): Promise<void> {
  await settle.run(on, [userId, roomIds])
}
