import { and, ne, or, sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { parkedEvents } from '../schema.ts'

/**
 * Deletes the parked events under `evt.user.<id>` and `evt.notification.<id>`, which may contain names, except erasure
 * requests. Returns their number.
 */
export async function eraseParked(db: Db, userId: string): Promise<number> {
  const begins = (type: string) => sql`starts_with(${parkedEvents.subject}, ${`evt.${type}.${userId}.`})`
  const deleted = await db
    .delete(parkedEvents)
    .where(
      and(or(begins('user'), begins('notification')), ne(parkedEvents.subject, `evt.user.${userId}.erasure_requested`)),
    )
  return deleted.rowCount ?? 0
}
