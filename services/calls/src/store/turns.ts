import { eq, lte, sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { turns } from './schema.ts'

export async function claimRun(db: Db, task: string, now: Date, nextAt: Date): Promise<boolean> {
  const taken = await db
    .insert(turns)
    .values({ task, nextAt, failures: 0 })
    .onConflictDoUpdate({ target: turns.task, set: { nextAt }, setWhere: lte(turns.nextAt, now) })
    .returning({ task: turns.task })
  return taken.length > 0
}

export async function recordRun(db: Db, task: string, succeeded: boolean): Promise<number> {
  const failures = succeeded ? 0 : sql`${turns.failures} + 1`
  const [row] = await db
    .update(turns)
    .set({ failures })
    .where(eq(turns.task, task))
    .returning({ failures: turns.failures })
  return row?.failures ?? 0
}
