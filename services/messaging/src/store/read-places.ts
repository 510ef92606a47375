import type { Place } from '../domain/marker.ts'
import type { EventRow } from '../domain/event-row.ts'
import {
  headerColumns,
  standingColumns,
  standingJoins,
  toHeader,
  type HeaderAndStanding,
  type HeaderRow,
} from './rooms.ts'
import type { Standing } from '../domain/room-header.ts'
import { statement, type Connection } from './statement.ts'

type PlaceRow = HeaderRow &
  Standing & { erased: boolean; seq: bigint | null; at: Date | null; markedSeq: bigint | null; markedAt: Date | null }

export type ReadPlaces = HeaderAndStanding & {
  erased: boolean
  /**
   * Up to where the user reads: the requested message or, without one, the last shown one; undefined if there is none.
   */
  read: Place | undefined
  marker: Place | undefined
}

const placeColumns = `${headerColumns}, ${standingColumns}, erased.gone as erased, e.seq, e.created_at as at, r.seq as "markedSeq", r.read_at as "markedAt"`

/** $1 room, $2 user, $3 event or empty. */
const inRoom = statement<PlaceRow>(
  'read_place_in_room',
  `select ${placeColumns}
from room_lines l${standingJoins('$2')}
left join lateral (
  select seq, created_at from room_events
  where room_id = $1 and event_id = $3 and kind = 'message_posted' and thread_root_event_id is null
  union all
  select seq, created_at from room_events where room_id = $1 and seq = l.last_message_seq and $3 = ''
) e on true
left join room_markers r on r.room_id = l.room_id and r.user_id = $2
where l.room_id = $1`,
)

/** $1 to $3 as for a room, $4 root. */
const inThread = statement<PlaceRow & { rootKind: EventRow['kind'] | null; startsThread: boolean }>(
  'read_place_in_thread',
  `select ${placeColumns}, root.kind as "rootKind",
  root.thread_root_event_id is null and root.echo_of_event_id is null as "startsThread"
from room_lines l${standingJoins('$2')}
left join room_events root on root.room_id = l.room_id and root.event_id = $4
left join threads t on t.room_id = l.room_id and t.root_event_id = $4
left join lateral (
  select seq, created_at from room_events
  where room_id = $1 and event_id = $3 and (event_id = $4 or thread_root_event_id = $4)
  union all
  select seq, created_at from room_events where room_id = $1 and seq = coalesce(t.last_reply_seq, root.seq) and $3 = ''
) e on true
left join thread_markers r on r.room_id = l.room_id and r.root_event_id = $4 and r.user_id = $2
where l.room_id = $1`,
)

const placeOf = (seq: bigint | null, at: Date | null): Place | undefined =>
  seq === null || at === null ? undefined : { seq, at }

function toPlaces(row: PlaceRow): ReadPlaces {
  const { member, banned, erased, seq, at, markedSeq, markedAt } = row
  return {
    room: toHeader(row),
    standing: { member, banned },
    erased,
    read: placeOf(seq, at),
    marker: placeOf(markedSeq, markedAt),
  }
}

/**
 * Finds the root message or echo `upToEventId`, even if retracted, or the last shown one if that id is empty. Undefined
 * if the room is unknown.
 */
export async function findPlacesInRoom(
  on: Connection,
  roomId: string,
  userId: string,
  upToEventId: string,
): Promise<ReadPlaces | undefined> {
  const [row] = await inRoom.run(on, [roomId, userId, upToEventId])
  return row && toPlaces(row)
}

export type ThreadPlaces = ReadPlaces & { root: 'thread root' | 'something else' | undefined }

/**
 * Finds the reply or root `upToEventId` of the thread. If that id is empty, finds the last shown reply, or the root if
 * there is none. Undefined if the room is unknown.
 */
export async function findPlacesInThread(
  on: Connection,
  thread: { roomId: string; rootEventId: string },
  userId: string,
  upToEventId: string,
): Promise<ThreadPlaces | undefined> {
  const [row] = await inThread.run(on, [thread.roomId, userId, upToEventId, thread.rootEventId])
  if (!row) return undefined
  const { rootKind, startsThread } = row
  const root = rootKind === 'message_posted' && startsThread ? 'thread root' : 'something else'
  return { ...toPlaces(row), root: rootKind === null ? undefined : root }
}
