import { inArray, sql, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '@parley/postgres'
import { failedDeletions } from './schema.ts'

const firstPauseMs = 5_000
const longestPauseMs = 3_600_000

export const mayBeDeletedNow = (id: PgColumn): SQL =>
  sql`not exists (select from ${failedDeletions} where ${failedDeletions.id} = ${id} and ${failedDeletions.retryAt} > clock_timestamp())`

/** The pause before the next attempt doubles each time, from 5 seconds up to an hour. */
export async function recordFailedDeletion(db: Db, id: string): Promise<void> {
  const { failures } = failedDeletions
  const retryAfter = (times: SQL) =>
    sql`clock_timestamp() + least(${firstPauseMs} * 2.0 ^ ${times}, ${longestPauseMs}) * interval '1 ms'`
  await db
    .insert(failedDeletions)
    .values({ id, failures: 1, retryAt: retryAfter(sql`0`) })
    .onConflictDoUpdate({
      target: failedDeletions.id,
      set: { failures: sql`least(${failures} + 1, 30)`, retryAt: retryAfter(sql`least(${failures}, 30)`) },
    })
}

export async function forgetFailedDeletions(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(failedDeletions).where(inArray(failedDeletions.id, [...ids]))
}
