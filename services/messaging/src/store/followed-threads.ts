import type { EventRow } from '../domain/event-row.ts'
import { isUnread } from '../domain/marker.ts'
import { withSize } from '../domain/page-bytes.ts'
import type { RoomHeader } from '../domain/room-header.ts'
import { roomKinds, standingJoins, type HeaderRow } from './rooms.ts'
import { accessColumns, eventColumns, eventJoins, toAccess, type Access, type AccessRow } from './readable-events.ts'
import { isMuted } from './notification-levels.ts'
import { statement, type Connection } from './statement.ts'

const rooms = statement<AccessRow & { roomId: string }>(
  'read_rooms_of_followed_threads',
  `select l.room_id as "roomId", ${accessColumns}
from (select distinct room_id from thread_follows where user_id = $1 and following) f
join room_lines l on l.room_id = f.room_id${standingJoins('$1')}`,
)

/** Includes archived rooms. */
export async function findRoomsWithFollowedThreads(on: Connection, userId: string): Promise<Access[]> {
  return (await rooms.run(on, [userId])).map((row) => toAccess(row.roomId, row))
}

/** Sort key: newest last reply first, threads without replies (-1) last; then by id. */
export type FollowedKey = { lastReplyMs: bigint; roomId: string; rootEventId: string }

export type FollowedThread = {
  room: Pick<RoomHeader, 'roomId' | 'kind' | 'name'>
  root: EventRow
  hasUnread: boolean
  key: FollowedKey
}

type Row = { total: bigint } & (
  | (Omit<EventRow, 'bytes'> &
      Pick<FollowedKey, 'lastReplyMs'> & {
        roomId: string
        roomKind: HeaderRow['kind']
        roomName: string
        hasUnread: boolean
      })
  | { eventId: null }
)

/** $1 rooms, $2 user, $3 to $5 key to continue after (null for the first page), $6 limit, $7 offset. */
const page = statement<Row>(
  'read_followed_threads',
  `with followed as materialized (
  select f.room_id, f.root_event_id, t.last_reply_seq,
    coalesce((extract(epoch from t.last_reply_at) * 1000)::bigint, -1) as last_reply_ms
  from thread_follows f
  left join threads t on t.room_id = f.room_id and t.root_event_id = f.root_event_id
  where f.user_id = $2 and f.following and f.room_id = any ($1::text[])
)
select (select count(*) from followed) as total, l.room_id as "roomId", l.kind as "roomKind", l.name as "roomName",
  p.last_reply_ms as "lastReplyMs", ${isUnread('p.last_reply_seq', 'r.seq', isMuted('$2', 'p.room_id'))} as "hasUnread",
  ${eventColumns}
from (select) one
left join lateral (
  select * from followed
  where $3::bigint is null or last_reply_ms < $3 or last_reply_ms = $3 and (room_id, root_event_id) > ($4::text, $5::text)
  order by last_reply_ms desc, room_id, root_event_id
  limit $6::integer offset $7::integer
) p on true
left join lateral (
  select seq from thread_markers
  where room_id = p.room_id and root_event_id = p.root_event_id and user_id = $2 limit 1
) r on true
left join room_lines l on l.room_id = p.room_id
left join room_events e on e.room_id = p.room_id and e.event_id = p.root_event_id${eventJoins}
order by p.last_reply_ms desc, p.room_id, p.root_event_id`,
)

/** `offset` is ignored if `after` is given. */
export type PageOfFollowed = { limit: number; offset: number; after: FollowedKey | undefined }

export async function readFollowedThreads(
  on: Connection,
  userId: string,
  roomIds: readonly string[],
  { limit, offset, after }: PageOfFollowed,
): Promise<{ total: bigint; threads: FollowedThread[] }> {
  const continueAfter = [after?.lastReplyMs ?? null, after?.roomId ?? null, after?.rootEventId ?? null]
  const rows = await page.run(on, [roomIds, userId, ...continueAfter, limit, after ? 0 : offset])
  const threads = rows.flatMap((row): FollowedThread[] => {
    if (row.eventId === null) return []
    const { roomId, roomKind, roomName, hasUnread, lastReplyMs } = row
    const room = { roomId, kind: roomKinds[roomKind], name: roomName }
    return [{ room, root: withSize(row), hasUnread, key: { lastReplyMs, roomId, rootEventId: row.eventId } }]
  })
  return { total: rows[0]?.total ?? 0n, threads }
}
