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

/** A page of what is pending for a user, in one room or everywhere. */
export async function listPending(
  db: Reader,
  { userId, roomId }: { userId: string; roomId?: string },
  { limit, offset, after }: Wanted,
): Promise<{ total: bigint; pending: Pending[] }> {
  const those = pendingOf(userId, roomId)
  const behind = after
    ? sql` and (created_at, id) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`
    : sql``
  const [counted, pending] = await Promise.all([
    sqlRows<{ total: bigint }>(db, sql`select count(*) as total from notifications where ${those}`),
    sqlRows<Pending>(
      db,
      sql`select ${columns} from notifications where ${those}${behind}
        order by created_at desc, id desc limit ${limit} offset ${after ? 0 : offset}`,
    ),
  ])
  return { total: counted[0]?.total ?? 0n, pending }
}

/** Those of these that are pending for the user, in the order of the ids. */
export async function findPending(db: Reader, userId: string, ids: readonly string[]): Promise<Pending[]> {
  return sqlRows<Pending>(
    db,
    sql`select ${columns} from notifications
      join unnest(${sql.param([...ids])}::text[]) with ordinality as wanted (wanted_id, place) on id = wanted_id
      where ${pendingOf(userId)} order by place`,
  )
}

export async function countByRoom(db: Reader, userId: string): Promise<{ roomId: string; count: bigint }[]> {
  return sqlRows(
    db,
    sql`select room_id as "roomId", count(*) as count from notifications where ${pendingOf(userId)} group by room_id`,
  )
}

export async function hasPending(db: Reader, userId: string): Promise<boolean> {
  const found = await db.execute(sql`select from notifications where ${pendingOf(userId)} limit 1`)
  return (found.rowCount ?? 0) > 0
}
