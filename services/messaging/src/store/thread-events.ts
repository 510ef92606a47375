import { maxPlace, type Position } from '../domain/cursor.ts'
import { definePageQuery, withinPage, type EventsWithAccess } from './readable-events.ts'
import type { Connection } from './statement.ts'

// The root precedes its replies in the log, so it is always the first row.
// Its files and reactions are not counted, so they are always looked up.
const root = `select *, 0 as text_bytes, 1 as file_count, 1 as tally_count, null::bigint as bytes_before from room_events
  where room_id = $1 and event_id = $3
    and kind = 'message_posted' and thread_root_event_id is null and echo_of_event_id is null`
const replies = `select * from room_events where room_id = $1 and thread_root_event_id = $3`

const readOlderReplies = definePageQuery(
  'read_thread_older',
  `(${root})
union all
(${withinPage('seq desc', `${replies} and seq < $4::bigint order by seq desc limit $5::integer`)})`,
)
const readNewerReplies = definePageQuery(
  'read_thread_newer',
  `(${root})
union all
(${withinPage('seq', `${replies} and seq > $4::bigint order by seq limit $5::integer`)})`,
)
const readRepliesAround = definePageQuery(
  'read_thread_around',
  `with anchor as materialized (${replies} and event_id = $4)
(${root})
union all
(${withinPage('seq desc', `${replies} and seq < (select seq from anchor) order by seq desc limit $5::integer`)})
union all
(${withinPage('seq', `${replies} and seq >= (select seq from anchor) order by seq limit $5::integer + 1`)})`,
)

type Reader = { roomId: string; userId: string }

/**
 * The root, and up to `count` replies before or after a place, or the latest ones; fewer if they exceed a page (see
 * {@link withinPage}). Without such a root there are no events.
 */
export function readReplies(
  on: Connection,
  { roomId, userId }: Reader,
  rootEventId: string,
  position: Position,
  count: number,
): Promise<EventsWithAccess | undefined> {
  if (position && 'after' in position)
    return readNewerReplies.run(on, [roomId, userId, rootEventId, position.after, count])
  return readOlderReplies.run(on, [roomId, userId, rootEventId, position?.before ?? maxPlace, count])
}

/**
 * The root, a reply, and up to `count` replies before and after it; fewer if a side exceeds a page (see {@link
 * withinPage}). Only the root, if the reply is not in the thread.
 */
export function readThreadAround(
  on: Connection,
  { roomId, userId }: Reader,
  rootEventId: string,
  eventId: string,
  count: number,
): Promise<EventsWithAccess | undefined> {
  return readRepliesAround.run(on, [roomId, userId, rootEventId, eventId, count])
}
