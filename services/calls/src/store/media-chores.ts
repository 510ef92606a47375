import { asc, eq, inArray, lte, min } from 'drizzle-orm'
import { CommitChannel, type Db, type Tx } from '@parley/postgres'
import { mediaChores } from './schema.ts'

export type MediaChoreRow = typeof mediaChores.$inferSelect
export type NewMediaChore = Pick<MediaChoreRow, 'mediaRoom' | 'userId'>

export const choresWritten = new CommitChannel()

export async function insertChores(tx: Tx, chores: readonly NewMediaChore[], now: Date): Promise<void> {
  if (chores.length === 0) return
  await tx.insert(mediaChores).values(chores.map((chore) => ({ ...chore, createdAt: now, dueAt: now })))
  choresWritten.tell(tx)
}

/** Takes chores that are due; nobody else takes them before `until`. */
export async function takeChores(db: Db, now: Date, until: Date, limit: number): Promise<MediaChoreRow[]> {
  const due = db
    .select({ id: mediaChores.id })
    .from(mediaChores)
    .where(lte(mediaChores.dueAt, now))
    .orderBy(asc(mediaChores.dueAt))
    .limit(limit)
    .for('update', { skipLocked: true })
  return db.update(mediaChores).set({ dueAt: until }).where(inArray(mediaChores.id, due)).returning()
}

/** When the next chore is due. */
export async function firstDue(db: Db): Promise<Date | null> {
  const [row] = await db.select({ at: min(mediaChores.dueAt) }).from(mediaChores)
  return row?.at ?? null
}

export async function deleteChore(db: Db, id: bigint): Promise<void> {
  await db.delete(mediaChores).where(eq(mediaChores.id, id))
}

export async function postponeChore(db: Db, id: bigint, dueAt: Date): Promise<void> {
  await db.update(mediaChores).set({ dueAt }).where(eq(mediaChores.id, id))
}

export async function countChoresOf(db: Db, userId: string): Promise<number> {
  return db.$count(mediaChores, eq(mediaChores.userId, userId))
}
