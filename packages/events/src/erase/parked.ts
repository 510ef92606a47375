import { and, sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { parkedEvents } from '../schema.ts'

/** Deletes what consumers gave up of an account, names in it included; requests to erase stay. Returns how many there were. */
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
