import { sqlRows, type Reader } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'
import type { Kind } from '../domain/candidates.ts'

/** A notification that is pending. */
export type Pending = {
  id: string
  roomId: string
  eventId: string
  kind: Kind
  actorId: string
  threadRootEventId: string
  inReplyTo: string
  createdAt: Date
}

/** A place in the list, newest first. */
export type PendingKey = Pick<Pending, 'createdAt' | 'id'>

type Wanted = { limit: number; offset: number; after: PendingKey | undefined }

const columns = sql`id, room_id as "roomId", event_id as "eventId", kind, actor_id as "actorId",
  thread_root_event_id as "threadRootEventId", in_reply_to as "inReplyTo", created_at as "createdAt"`

const pendingOf = (userId: string, roomId?: string): SQL =>
  sql`user_id = ${userId} and dismissed_at is null${roomId === undefined ? sql`` : sql` and room_id = ${roomId}`}`

/** A page of a user's pending notifications in some rooms. */
export async function listPending(
  db: Reader,
  userId: string,
  roomIds: readonly string[],
  { limit, offset, after }: Wanted,
): Promise<Pending[]> {
  if (roomIds.length === 0) return []
  const behind = after
    ? sql` and (created_at, id) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`
    : sql``
  return sqlRows<Pending>(
    db,
    sql`select ${columns} from notifications
      where ${pendingOf(userId)} and room_id = any(${sql.param([...roomIds])}::text[])${behind}
      order by created_at desc, id desc limit ${limit} offset ${after ? 0 : offset}`,
  )
}

/** Which of these notifications are pending for the user, in the order of the ids. */
export async function findPending(db: Reader, userId: string, ids: readonly string[]): Promise<Pending[]> {
  return sqlRows<Pending>(
    db,
    sql`select ${columns} from notifications
      join unnest(${sql.param([...ids])}::text[]) with ordinality as wanted (wanted_id, place) on id = wanted_id
      where ${pendingOf(userId)} order by place`,
  )
}

/** A room with pending notifications, and the last place to which they refer. */
export type PendingRoom = { roomId: string; count: bigint; lastRoomSeq: bigint }

/** Rooms with pending notifications of a user: one room, or all. */
export async function listPendingRooms(db: Reader, userId: string, roomId?: string): Promise<PendingRoom[]> {
  return sqlRows(
    db,
    sql`select room_id as "roomId", count(*) as count, max(room_seq) as "lastRoomSeq"
      from notifications where ${pendingOf(userId, roomId)} group by room_id`,
  )
}
