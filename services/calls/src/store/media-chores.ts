import { eq, sql } from 'drizzle-orm'
import type { Db, Tx } from '@parley/postgres'
import { JobQueue, type Job } from '@parley/jobs'
import { mediaChores } from './schema.ts'

export type MediaChore = Job<typeof mediaChores>
export type NewMediaChore = Pick<MediaChore, 'mediaRoom' | 'userId'>

export const mediaChoreQueue = new JobQueue(mediaChores, { key: ['id'] })

export async function insertChores(tx: Tx, chores: readonly NewMediaChore[], now: Date): Promise<void> {
  if (chores.length === 0) return
  const dueAt = sql`clock_timestamp()`
  await tx.insert(mediaChores).values(chores.map((chore) => ({ ...chore, createdAt: now, dueAt })))
  mediaChoreQueue.announce(tx)
}

export async function countChoresOf(db: Db, userId: string): Promise<number> {
  return db.$count(mediaChores, eq(mediaChores.userId, userId))
}
