import { isUnread } from '../domain/marker.ts'
import { isMuted } from './notification-levels.ts'
import { statement, type Connection } from './statement.ts'

export type RoomState = { roomId: string; hasUnread: boolean; empty: boolean; lastMessageAt: Date | null }

const muted = isMuted('$1', 'l.room_id')
const roomIsUnread = isUnread('l.last_message_seq', 'r.seq', muted)
const threadIsUnread = isUnread('t.last_reply_seq', 'r.seq', muted)

/** Whether user $1 is banned from the room of `room_lines l`. */
const banned = `exists (
  select from line_bans b
  where b.room_id = l.room_id and b.user_id = $1 and b.banned and (b.expires_at is null or b.expires_at > now())
)`

/** A room is unread only for those who can read it; for universal rooms the caller must check room.join. */
const states = statement<RoomState>(
  'read_room_states',
  `select l.room_id as "roomId", l.last_message_at is null as empty, l.last_message_at as "lastMessageAt",
  ${roomIsUnread} and (coalesce(m.member, false) or l.universal) and not ${banned} as "hasUnread"
from room_lines l
left join line_members m on m.room_id = l.room_id and m.user_id = $1
left join room_markers r on r.room_id = l.room_id and r.user_id = $1
where l.room_id = any ($2::text[])`,
)

export function readRoomStates(on: Connection, userId: string, roomIds: readonly string[]): Promise<RoomState[]> {
  return states.run(on, [userId, roomIds])
}

/** A room with something unread, either among its messages or in one of its threads that the user follows. */
export type UnreadRoom = { roomId: string; groupId: string; member: boolean; inThread: boolean }

/** The threads that user $1 follows, with their room and marker. */
const followed = `thread_follows f
  join threads t on t.room_id = f.room_id and t.root_event_id = f.root_event_id
  join room_lines l on l.room_id = f.room_id
  left join thread_markers r on r.room_id = f.room_id and r.root_event_id = f.root_event_id and r.user_id = $1`

/**
 * One room with unread messages and one with unread threads among the rooms of which the user is an explicit member,
 * and all universal rooms from which they are not banned.
 */
const unread = statement<UnreadRoom>(
  'read_unread',
  `(
  select l.room_id as "roomId", l.group_id as "groupId", true as member, false as "inThread"
  from line_members m
  join room_lines l on l.room_id = m.room_id
  left join room_markers r on r.room_id = m.room_id and r.user_id = m.user_id
  where m.user_id = $1 and m.member and not l.archived and ${roomIsUnread}
  limit 1
)
union all
select l.room_id, l.group_id, false, false
from room_lines l
left join room_markers r on r.room_id = l.room_id and r.user_id = $1
where l.universal and not l.archived and ${roomIsUnread} and not ${banned}
union all
(
  select l.room_id, l.group_id, true, true
  from ${followed}
  join line_members m on m.room_id = f.room_id and m.user_id = $1 and m.member
  where f.user_id = $1 and f.following and not l.archived and ${threadIsUnread}
  limit 1
)
union all
(
  select distinct l.room_id, l.group_id, false, true
  from ${followed}
  where f.user_id = $1 and f.following and l.universal and not l.archived and ${threadIsUnread} and not ${banned}
)`,
)

export function readUnread(on: Connection, userId: string): Promise<UnreadRoom[]> {
  return unread.run(on, [userId])
}
