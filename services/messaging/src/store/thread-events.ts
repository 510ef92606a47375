import { maxPlace, type Position } from '../domain/cursor.ts'
import { readableEvents, withinPage, type Readable } from './readable-events.ts'
import type { Connection } from './statement.ts'

// A root precedes its replies in the log.
const root = `select *, null::integer as bytes, null::bigint as bytes_before from room_events
  where room_id = $1 and event_id = $3
    and kind = 'message_posted' and thread_root_event_id is null and echo_of_event_id is null`
const replies = `select * from room_events where room_id = $1 and thread_root_event_id = $3`

const readOlderReplies = readableEvents(
  'read_thread_older',
  `(${root})
union all
(${withinPage('seq desc', `${replies} and seq < $4::bigint order by seq desc limit $5::integer`)})`,
)
const readNewerReplies = readableEvents(
  'read_thread_newer',
  `(${root})
union all
(${withinPage('seq', `${replies} and seq > $4::bigint order by seq limit $5::integer`)})`,
)
const readRepliesAround = readableEvents(
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
 * The root of a thread, and up to `count` replies before or after a place, or the latest; with {@link withinPage}.
 * Empty if the root does not exist.
 */
export function readReplies(
  on: Connection,
  { roomId, userId }: Reader,
  rootEventId: string,
  position: Position,
  count: number,
): Promise<Readable | undefined> {
  if (position && 'after' in position)
    return readNewerReplies.run(on, [roomId, userId, rootEventId, position.after, count])
  return readOlderReplies.run(on, [roomId, userId, rootEventId, position?.before ?? maxPlace, count])
}

/**
 * The root, up to `count` replies before one, that reply, and up to `count` after it. {@link withinPage} limits each
 * side.
 */
export function readThreadAround(
  on: Connection,
  { roomId, userId }: Reader,
  rootEventId: string,
  eventId: string,
  count: number,
): Promise<Readable | undefined> {
  return readRepliesAround.run(on, [roomId, userId, rootEventId, eventId, count])
}
