import { maxPlace, type Position } from '../domain/cursor.ts'
import { definePageQuery, withinPage, type EventsWithAccess } from './readable-events.ts'
import type { Connection } from './statement.ts'

const timeline = `select * from room_events where room_id = $1 and in_timeline`

const readOlder = definePageQuery(
  'read_timeline_older',
  withinPage('seq desc', `${timeline} and seq < $3::bigint order by seq desc limit $4::integer`),
)
const readNewer = definePageQuery(
  'read_timeline_newer',
  withinPage('seq', `${timeline} and seq > $3::bigint order by seq limit $4::integer`),
)
const readAround = definePageQuery(
  'read_timeline_around',
  `with anchor as materialized (${timeline} and event_id = $3)
(${withinPage('seq desc', `${timeline} and seq < (select seq from anchor) order by seq desc limit $4::integer`)})
union all
(${withinPage('seq', `${timeline} and seq >= (select seq from anchor) order by seq limit $4::integer + 1`)})`,
)

/**
 * Up to `count` rows before or after a place, or the latest ones; fewer if they exceed a page (see {@link withinPage}).
 */
export function readTimeline(
  on: Connection,
  reader: { roomId: string; userId: string },
  position: Position,
  count: number,
): Promise<EventsWithAccess | undefined> {
  const { roomId, userId } = reader
  if (position && 'after' in position) return readNewer.run(on, [roomId, userId, position.after, count])
  return readOlder.run(on, [roomId, userId, position?.before ?? maxPlace, count])
}

/**
 * An event, and up to `count` rows before and after it; fewer if a side exceeds a page (see {@link withinPage}). No
 * rows, if the event is not in the timeline.
 */
export function readTimelineAround(
  on: Connection,
  reader: { roomId: string; userId: string },
  eventId: string,
  count: number,
): Promise<EventsWithAccess | undefined> {
  return readAround.run(on, [reader.roomId, reader.userId, eventId, count])
}
