import { inArray, lt, sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { orphans } from './schema.ts'

export async function recordOrphans(db: Db, keys: readonly string[], now: Date): Promise<Map<string, Date>> {
  if (keys.length === 0) return new Map()
  const rows = await db
    .insert(orphans)
    .values([...keys].sort().map((key) => ({ key, foundAt: now, seenAt: now })))
    .onConflictDoUpdate({ target: orphans.key, set: { seenAt: sql`greatest(${orphans.seenAt}, excluded.seen_at)` } })
    .returning({ key: orphans.key, foundAt: orphans.foundAt })
  return new Map(rows.map(({ key, foundAt }) => [key, foundAt]))
}

export async function forgetOrphans(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await db.delete(orphans).where(inArray(orphans.key, [...keys]))
}

/**
 * Deletes up to `limit` entries that were last seen before `since`: the object has a row again or is gone. Returns
 * their number.
 */
export async function forgetOrphansUnseen(db: Db, since: Date, limit: number): Promise<number> {
  const unseen = db.select({ key: orphans.key }).from(orphans).where(lt(orphans.seenAt, since)).limit(limit)
  return (await db.delete(orphans).where(inArray(orphans.key, unseen))).rowCount ?? 0
}
