import { and, sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { parkedEvents } from '../schema.ts'

/**
 * Deletes the parked events under `evt.user.<id>`, which may contain names, except erasure requests. Returns the number
 * of deleted events.
 */
export async function eraseParked(db: Db, userId: string): Promise<number> {
  const prefix = `evt.user.${userId}.`
  const deleted = await db
    .delete(parkedEvents)
    .where(
      and(
        sql`starts_with(${parkedEvents.subject}, ${prefix})`,
        sql`${parkedEvents.subject} <> ${`${prefix}erasure_requested`}`,
      ),
    )
  return deleted.rowCount ?? 0
}
