import { sqlRows, type Tx } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'
import type { Kind } from '../domain/candidates.ts'
import type { Dismissal } from '../domain/many.ts'

/** A notification that is pending no longer. */
export type Dismissed = { id: string; userId: string; kind: Kind; eventId: string; silent: boolean }

const mostAtOnce = 1000

/** Dismisses up to 1,000 pending notifications of users whose shards are held; `more` when there may be others. */
export async function dismiss(tx: Tx, which: SQL, at: Date): Promise<{ dismissed: Dismissed[]; more: boolean }> {
  const dismissed = await sqlRows<Dismissed>(
    tx,
    sql`
    update notifications set dismissed_at = ${at.toISOString()}::timestamptz
    where id in (select id from notifications where dismissed_at is null and ${which} limit ${mostAtOnce})
    returning id, user_id as "userId", kind, event_id as "eventId", silent`,
  )
  return { dismissed, more: dismissed.length === mostAtOnce }
}

export const ofUser = (userId: string): SQL => sql`user_id = ${userId}`

export const withId = (userId: string, id: string): SQL => sql`user_id = ${userId} and id = ${id}`

export function thoseOf(dismissal: Dismissal): SQL {
  if (dismissal.of === 'message') return sql`message_id = ${dismissal.eventId}`
  if (dismissal.of === 'echo') return sql`event_id = ${dismissal.eventId} and event_id <> message_id`
  const { userId, roomId, roomSeq, threadRootEventId: root } = dismissal
  const inThread = root === undefined ? sql`` : sql` and thread_root_event_id = ${root}`
  return sql`user_id = ${userId} and room_id = ${roomId} and room_seq <= ${roomSeq}::bigint${inThread}`
}
