import { sqlRows, type Reader } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'
import type { NotificationKind } from '../domain/tag.ts'

export type Pending = {
  id: string
  roomId: string
  eventId: string
  kind: NotificationKind
  actorId: string
  threadRootEventId: string
  inReplyTo: string
  createdAt: Date
}

export type PendingKey = Pick<Pending, 'createdAt' | 'id'>

type Wanted = { limit: number; offset: number; after: PendingKey | undefined }

const columns = sql`id, room_id as "roomId", event_id as "eventId", kind, actor_id as "actorId",
  thread_root_event_id as "threadRootEventId", in_reply_to as "inReplyTo", created_at as "createdAt"`

const pendingOf = (userId: string, roomId?: string): SQL =>
  sql`user_id = ${userId} and dismissed_at is null${roomId === undefined ? sql`` : sql` and room_id = ${roomId}`}`

const page = (where: SQL, { limit, offset, after }: Wanted): SQL => {
  const behind = after
    ? sql` and (created_at, id) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`
    : sql``
  return sql`select ${columns} from notifications where ${where}${behind}
      order by created_at desc, id desc limit ${limit} offset ${after ? 0 : offset}`
}

export async function listPending(
  db: Reader,
  userId: string,
  roomIds: readonly string[],
  wanted: Wanted,
): Promise<Pending[]> {
  if (roomIds.length === 0) return []
  return sqlRows<Pending>(
    db,
    page(sql`${pendingOf(userId)} and room_id = any(${sql.param([...roomIds])}::text[])`, wanted),
  )
}

/** A room, or a notification with its row number on the page. */
type PageRow = (PendingRoom & { id: null }) | (Pending & { rowNumber: bigint })

export async function listPendingWithRooms(
  db: Reader,
  userId: string,
  roomId: string | undefined,
  wanted: Wanted,
): Promise<{ rooms: PendingRoom[]; page: Pending[] }> {
  const rows = await sqlRows<PageRow>(
    db,
    sql`select null as id, room_id as "roomId", null as "eventId", null as kind, null as "actorId",
        null as "threadRootEventId", null as "inReplyTo", null::timestamptz as "createdAt", count(*) as count,
        max(room_seq) as "lastRoomSeq", null::bigint as "rowNumber"
      from notifications where ${pendingOf(userId, roomId)} group by room_id
      union all
      select page.*, null, null, row_number() over (order by "createdAt" desc, id desc)
      from (${page(pendingOf(userId, roomId), wanted)}) page`,
  )
  const found = rows.filter((row) => row.id !== null)
  return {
    rooms: rows.filter((row) => row.id === null),
    page: found.toSorted((a, b) => Number(a.rowNumber - b.rowNumber)),
  }
}

export async function findPending(db: Reader, userId: string, ids: readonly string[]): Promise<Pending[]> {
  return sqlRows<Pending>(
    db,
    sql`select ${columns} from notifications
      join unnest(${sql.param([...ids])}::text[]) with ordinality as wanted (wanted_id, number) on id = wanted_id
      where ${pendingOf(userId)} order by number`,
  )
}

export type PendingRoom = { roomId: string; count: bigint; lastRoomSeq: bigint }

export async function listPendingRooms(db: Reader, userId: string): Promise<PendingRoom[]> {
  return sqlRows(
    db,
    sql`select room_id as "roomId", count(*) as count, max(room_seq) as "lastRoomSeq"
      from notifications where ${pendingOf(userId)} group by room_id`,
  )
}
