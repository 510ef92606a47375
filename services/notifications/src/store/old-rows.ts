import type { Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'

const maxAtOnce = 5000

/**
 * Markers, departures, retractions and dismissed notifications prevent wrong or duplicate notifications when events are
 * redelivered. Events stay on the stream for three days, so these rows are kept for four.
 */
const old = [
  { table: sql`notifications`, is: sql`created_at < now() - interval '90 days'` },
  { table: sql`notifications`, is: sql`dismissed_at < now() - interval '4 days'` },
  { table: sql`read_markers`, is: sql`moved_at < now() - interval '4 days'` },
  { table: sql`departures`, is: sql`left_at < now() - interval '4 days'` },
  { table: sql`retractions`, is: sql`retracted_at < now() - interval '4 days'` },
]

export async function deleteOldRows(db: Db, signal: AbortSignal): Promise<void> {
  for (const { table, is } of old) {
    for (let deleted = maxAtOnce; deleted === maxAtOnce && !signal.aborted;) {
      const result = await db.execute(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where ${is} limit ${maxAtOnce} for update skip locked
        ))`)
      deleted = result.rowCount ?? 0
    }
  }
}
