import { sqlRows, type Tx } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'
import type { NotificationKind } from '../domain/tag.ts'
import type { Dismissal } from '../domain/work.ts'

export type Dismissed = { id: string; userId: string; kind: NotificationKind; eventId: string; silent: boolean }

const maxAtOnce = 1000

/**
 * Dismisses up to `maxAtOnce` of the pending notifications that `ids` selects. `more`: whether there may be others. The
 * caller must have locked the users' shards with `lockShards`.
 */
export async function dismiss(tx: Tx, ids: SQL, at: Date): Promise<{ dismissed: Dismissed[]; more: boolean }> {
  // A notification found twice counts twice against the limit.
  const dismissed = await sqlRows<Dismissed & { found: number }>(
    tx,
    sql`
    with found as materialized (${ids} limit ${maxAtOnce})
    update notifications set dismissed_at = ${at.toISOString()}::timestamptz
    where id in (select id from found)
    returning id, user_id as "userId", kind, event_id as "eventId", silent, (select count(*)::int from found) as found`,
  )
  return { dismissed, more: dismissed[0]?.found === maxAtOnce }
}

const pending = sql`select n.id from notifications n where n.dismissed_at is null`

export const ofUser = (userId: string): SQL => sql`${pending} and n.user_id = ${userId}`

export const causedBy = (actorId: string): SQL => sql`${pending} and n.actor_id = ${actorId}`

export const withId = (userId: string, id: string): SQL => sql`${ofUser(userId)} and n.id = ${id}`

/** The list must not be empty. */
export function idsToDismiss(dismissals: readonly Dismissal[]): SQL {
  const idsOf = (of: 'message' | 'echo') =>
    sql.param(dismissals.flatMap((dismissal) => (dismissal.of === of ? [dismissal.eventId] : [])))
  const places = dismissals.filter(({ of }) => of === 'place')
  const parts = {
    message: sql`${pending} and n.message_id = any(${idsOf('message')}::text[])`,
    echo: sql`${pending} and n.event_id = any(${idsOf('echo')}::text[]) and n.event_id <> n.message_id`,
    place: sql`
      select n.id from json_to_recordset(${JSON.stringify(places)}::json)
        as place ("userId" text, "roomId" text, "roomSeq" bigint, "threadRootEventId" text)
      join notifications n on n.user_id = place."userId" and n.room_id = place."roomId"
        and n.room_seq <= place."roomSeq" and n.dismissed_at is null
        and (place."threadRootEventId" is null or n.thread_root_event_id = place."threadRootEventId")`,
  }
  const kinds = [...new Set(dismissals.map(({ of }) => of))]
  return sql.join(
    kinds.map((kind) => parts[kind]),
    sql` union all `,
  )
}
