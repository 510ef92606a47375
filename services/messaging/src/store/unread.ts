import { isUnread } from '../domain/marker.ts'
import { isMuted } from './notification-levels.ts'
import { statement, type Connection } from './statement.ts'

export type RoomState = { roomId: string; hasUnread: boolean; empty: boolean; lastMessageAt: Date | null }

const muted = isMuted('$1', 'l.room_id')
const roomIsUnread = isUnread('l.last_message_seq', 'r.seq', muted)
const threadIsUnread = isUnread('t.last_reply_seq', 'r.seq', muted)

/** SQL condition: user $1 is banned from the room of `room_lines l`. */
const isBanned = `exists (
  select from line_bans b
  where b.room_id = l.room_id and b.user_id = $1 and b.banned and (b.expires_at is null or b.expires_at > now())
)`

/** A room is unread only for users who can read it. For universal rooms the calling service must check `room.join`. */
const states = statement<RoomState>(
  'read_room_states',
  `select l.room_id as "roomId", l.last_message_at is null as empty, l.last_message_at as "lastMessageAt",
  ${roomIsUnread} and (coalesce(m.member, false) or l.universal) and not ${isBanned} as "hasUnread"
from room_lines l
left join line_members m on m.room_id = l.room_id and m.user_id = $1
left join room_markers r on r.room_id = l.room_id and r.user_id = $1
where l.room_id = any ($2::text[])`,
)

export function readRoomStates(on: Connection, userId: string, roomIds: readonly string[]): Promise<RoomState[]> {
  return states.run(on, [userId, roomIds])
}

/** A room with unread messages, either in its timeline or, if `inThread`, in a thread that the user follows. */
export type UnreadRoom = { roomId: string; groupId: string; member: boolean; inThread: boolean }

/** SQL: the threads that user $1 follows, with their room and marker. */
const followed = `thread_follows f
  join threads t on t.room_id = f.room_id and t.root_event_id = f.root_event_id
  join room_lines l on l.room_id = f.room_id
  left join thread_markers r on r.room_id = f.room_id and r.root_event_id = f.root_event_id and r.user_id = $1`

/**
 * Among the rooms of which the user is an explicit member: at most one with unread messages, and at most one with
 * unread threads. In addition, all such universal rooms from which the user is not banned.
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
where l.universal and not l.archived and ${roomIsUnread} and not ${isBanned}
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
  where f.user_id = $1 and f.following and l.universal and not l.archived and ${threadIsUnread} and not ${isBanned}
)`,
)

export function readUnread(on: Connection, userId: string): Promise<UnreadRoom[]> {
  return unread.run(on, [userId])
}
