import { lt, sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { emailCodes } from './schema.ts'

/** Deletes up to `atOnce` codes that nobody can enter any more; answers how many there were. */
export async function deleteExpiredEmailCodes(db: Db, now: Date, atOnce: number): Promise<number> {
  const expired = db
    .select({ row: sql`ctid` })
    .from(emailCodes)
    .where(lt(emailCodes.expiresAt, now))
    .limit(atOnce)
    .for('update', { skipLocked: true })
  return (await db.delete(emailCodes).where(sql`ctid in ${expired}`)).rowCount ?? 0
}
