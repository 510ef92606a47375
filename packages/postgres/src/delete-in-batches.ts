import { sql, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './db.ts'

/** Few enough that nobody waits for their locks, and that a replica keeps up. */
const usualBatch = 1000

/**
 * Deletes all rows of a table that meet the condition, at most so many (1000) in a transaction, however many there are.
 * Answers how many there were. Rejects between two batches when the signal fires.
 */
export async function deleteInBatches(
  db: Db,
  table: PgTable,
  { where, most = usualBatch, signal }: { where: SQL | undefined; most?: number; signal?: AbortSignal },
): Promise<number> {
  // Without a condition it would be everything.
  if (where === undefined) throw new TypeError('a condition is needed')
  const batch = sql`delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${most}))`
  let count = 0
  for (;;) {
    signal?.throwIfAborted()
    const deleted = (await db.execute(batch)).rowCount ?? 0
    // One that others changed meanwhile is missed, so a batch that is not full is not yet the last.
    if (deleted === 0) return count
    count += deleted
  }
}
