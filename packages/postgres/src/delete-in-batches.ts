import { sql, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './db.ts'

/** Small enough to hold locks only briefly and for a standby of the database to keep up. */
const defaultBatch = 1000

/**
 * Deletes the rows that meet the condition, in transactions of at most `batchSize` rows (default 1000); returns their
 * number. Rejects between two batches when the signal is aborted.
 */
export async function deleteInBatches(
  db: Db,
  table: PgTable,
  { where, batchSize = defaultBatch, signal }: { where: SQL | undefined; batchSize?: number; signal?: AbortSignal },
): Promise<number> {
  // Without a condition it would delete every row.
  if (where === undefined) throw new TypeError('a condition is needed')
  const batch = sql`delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${batchSize}))`
  let count = 0
  for (;;) {
    signal?.throwIfAborted()
    const deleted = (await db.execute(batch)).rowCount ?? 0
    // A batch skips rows that others have changed concurrently, so a batch that is not full need not be the last.
    if (deleted === 0) return count
    count += deleted
  }
}
