import { statement, type Connection } from './statement.ts'

export type RoomState = { roomId: string; hasUnread: boolean; empty: boolean; lastMessageAt: Date | null }

/**
 * A room is unread when its last root message lies behind the user's marker, which their own posts move along. Only who
 * can read a room has something unread in it; for universal rooms the asker looks at room.join.
 */
const states = statement<RoomState>(
  'read_room_states',
  `select l.room_id as "roomId", l.last_message_at is null as empty, l.last_message_at as "lastMessageAt",
  coalesce(l.last_message_seq > coalesce(r.seq, 0), false)
    and (coalesce(m.member, false) or l.universal)
    and not coalesce(b.banned and (b.expires_at is null or b.expires_at > now()), false) as "hasUnread"
from room_lines l
left join line_members m on m.room_id = l.room_id and m.user_id = $1
left join line_bans b on b.room_id = l.room_id and b.user_id = $1
left join room_markers r on r.room_id = l.room_id and r.user_id = $1
where l.room_id = any ($2::text[])`,
)

export function readRoomStates(on: Connection, userId: string, roomIds: readonly string[]): Promise<RoomState[]> {
  return states.run(on, [userId, roomIds])
}

export type UnreadRoom = { roomId: string; groupId: string; member: boolean }

/** One unread room of which the user is an explicit member, and all unread universal ones of which they are not. */
const unread = statement<UnreadRoom>(
  'read_unread_rooms',
  `(
  select l.room_id as "roomId", l.group_id as "groupId", true as member
  from line_members m
  join room_lines l on l.room_id = m.room_id
  left join room_markers r on r.room_id = m.room_id and r.user_id = m.user_id
  where m.user_id = $1 and m.member and not l.archived and l.last_message_seq > coalesce(r.seq, 0)
  limit 1
)
union all
select l.room_id, l.group_id, false
from room_lines l
left join room_markers r on r.room_id = l.room_id and r.user_id = $1
where l.universal and not l.archived and l.last_message_seq > coalesce(r.seq, 0) and not exists (
  select from line_bans b
  where b.room_id = l.room_id and b.user_id = $1 and b.banned and (b.expires_at is null or b.expires_at > now())
)`,
)

export function readUnreadRooms(on: Connection, userId: string): Promise<UnreadRoom[]> {
  return unread.run(on, [userId])
}
