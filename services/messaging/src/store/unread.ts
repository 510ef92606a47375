import { isUnread } from '../domain/marker.ts'
import { isMuted } from './notification-levels.ts'
import { maxFollowsWithoutWatermark, maxPlacesAfterWatermark } from './settle-follows.ts'
import { statement, type Connection } from './statement.ts'

export type RoomState = { roomId: string; hasUnread: boolean; empty: boolean; lastMessageAt: Date | null }

const muted = isMuted('$1', 'l.room_id')
const roomIsUnread = isUnread('l.last_message_seq', 'r.seq', muted)

const isBanned = `exists (
  select from line_bans b
  where b.room_id = l.room_id and b.user_id = $1 and b.banned and (b.expires_at is null or b.expires_at > now())
)`

/**
 * Looks up one marker per room, as {@link isMember} does with memberships. For a join, PostgreSQL would compare each
 * room with each marker of the user as long as it has no statistics of a table that has grown.
 */
const marker = `left join lateral (
  select seq from room_markers where room_id = l.room_id and user_id = $1 limit 1
) r on true`

const isMember = 'coalesce((select member from line_members where room_id = l.room_id and user_id = $1), false)'

/** Unread rooms, and all direct messages. For universal rooms the calling service must check `room.join`. */
const states = statement<RoomState>(
  'read_room_states',
  `select room_id as "roomId", unread as "hasUnread", last_message_at is null as empty, last_message_at as "lastMessageAt"
from (
  select l.room_id, l.kind, l.last_message_at, ${roomIsUnread} and not ${isBanned}
    and (l.universal or ${isMember}) as unread
  from unnest($2::text[]) asked (room_id)
  join room_lines l on l.room_id = asked.room_id
  ${marker}
  offset 0
) state
where unread or kind = 'dm'`,
)

export function readRoomStates(on: Connection, userId: string, roomIds: readonly string[]): Promise<RoomState[]> {
  return states.run(on, [userId, roomIds])
}

/**
 * `inThread`: a thread that the user follows is unread; otherwise the timeline is. `member`: the user is an explicit
 * member; otherwise the room is universal, and the user may lack `room.join`.
 */
export type UnreadRoom = { roomId: string; groupId: string; member: boolean; inThread: boolean }

/**
 * SQL: where user $1 follows an unread thread. Settled threads are visited only if they have replies after the
 * watermark, see `threadWatermarks`. The limits make PostgreSQL look up threads and follows one by one; a generic plan
 * would read all threads of all rooms.
 */
const roomsWithUnreadThreads = `
  select distinct t.room_id
  from (
    select f.room_id, f.root_event_id, t.last_reply_seq
    from thread_follows f
    cross join lateral (
      select last_reply_seq from threads where room_id = f.room_id and root_event_id = f.root_event_id limit 1
    ) t
    where f.user_id = $1 and f.following and not f.settled
    union all
    select w.room_id, t.root_event_id, t.last_reply_seq
    from thread_watermarks w
    cross join lateral (
      select root_event_id, last_reply_seq from threads where room_id = w.room_id and last_reply_seq > w.seq offset 0
    ) t
    cross join lateral (
      select from thread_follows
      where room_id = w.room_id and root_event_id = t.root_event_id and user_id = $1 and following and settled limit 1
    ) f
    where w.user_id = $1
  ) t
  left join lateral (
    select seq from thread_markers
    where room_id = t.room_id and root_event_id = t.root_event_id and user_id = $1 limit 1
  ) r on true
  where ${isUnread('t.last_reply_seq', 'r.seq', 'false')}`

/**
 * Unread rooms that are neither archived nor muted:
 * - rooms whose timeline is unread and in which the user is an explicit member, but at most one
 * - each universal room whose timeline is unread and from which the user is not banned
 * - each room with an unread thread, if the user is an explicit member, or the room is universal and the user not banned
 *
 * A row with a null `inThread` names a room, in any state, whose followed threads should be settled, because the
 * watermark is missing or old.
 */
const unread = statement<Omit<UnreadRoom, 'inThread'> & { inThread: boolean | null }>(
  'read_unread',
  `(
  select l.room_id as "roomId", l.group_id as "groupId", true as member, false as "inThread"
  from line_members m
  join room_lines l on l.room_id = m.room_id
  ${marker}
  where m.user_id = $1 and m.member and not l.archived and ${roomIsUnread}
  limit 1
)
union all
select l.room_id, l.group_id, false, false
from room_lines l
${marker}
where l.universal and not l.archived and ${roomIsUnread} and not ${isBanned}
union all
select l.room_id, l.group_id, coalesce(m.member, false), true
from (${roomsWithUnreadThreads}) t
join room_lines l on l.room_id = t.room_id
left join line_members m on m.room_id = l.room_id and m.user_id = $1
where not l.archived and not ${muted} and (coalesce(m.member, false) or l.universal and not ${isBanned})
union all
select w.room_id, '', false, null
from thread_watermarks w
join room_lines l on l.room_id = w.room_id
where w.user_id = $1 and l.room_seq > w.seq + ${maxPlacesAfterWatermark}
union all
select room_id, '', false, null
from (
  select f.room_id, sum(count(*)) over () as follows
  from thread_follows f
  where f.user_id = $1 and f.following and not f.settled
    and not exists (select from thread_watermarks w where w.user_id = $1 and w.room_id = f.room_id)
  group by f.room_id
) without
where follows > ${maxFollowsWithoutWatermark}`,
)

/**
 * Finds unread rooms, but at most one of those whose timeline is unread and in which the user is an explicit member.
 * `toSettle`: rooms in which settling follows makes the next call cheaper.
 */
export async function readUnread(on: Connection, userId: string): Promise<{ rooms: UnreadRoom[]; toSettle: string[] }> {
  const rows = await unread.run(on, [userId])
  return {
    rooms: rows.flatMap(({ inThread, ...room }) => (inThread === null ? [] : { ...room, inThread })),
    toSettle: rows.flatMap(({ inThread, roomId }) => (inThread === null ? roomId : [])),
  }
}
