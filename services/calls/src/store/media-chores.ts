import { asc, eq, inArray, sql } from 'drizzle-orm'
import { CommitChannel, sqlRows, type Db, type Tx } from '@parley/postgres'
import { mediaChores } from './schema.ts'

export type MediaChoreRow = typeof mediaChores.$inferSelect
export type NewMediaChore = Pick<MediaChoreRow, 'mediaRoom' | 'userId'>

export const choresWritten = new CommitChannel()

/** By the clock of the database: processes whose clocks differ take each other's chores otherwise. */
const soon = (milliseconds: number) => sql`clock_timestamp() + ${milliseconds}::int * interval '1 ms'`

export async function insertChores(tx: Tx, chores: readonly NewMediaChore[], now: Date): Promise<void> {
  if (chores.length === 0) return
  await tx.insert(mediaChores).values(chores.map((chore) => ({ ...chore, createdAt: now, dueAt: soon(0) })))
  choresWritten.tell(tx)
}

/** Takes chores that are due; nobody else takes them for so long. */
export async function takeChores(db: Db, forMs: number, limit: number): Promise<MediaChoreRow[]> {
  const due = db
    .select({ id: mediaChores.id })
    .from(mediaChores)
    .where(sql`${mediaChores.dueAt} <= clock_timestamp()`)
    .orderBy(asc(mediaChores.dueAt))
    .limit(limit)
    .for('update', { skipLocked: true })
  return db
    .update(mediaChores)
    .set({ dueAt: soon(forMs) })
    .where(inArray(mediaChores.id, due))
    .returning()
}

/** In how many milliseconds the next chore is due; undefined when there is none. */
export async function nextChoreMs(db: Db): Promise<number | undefined> {
  const [row] = await sqlRows<{ ms: number | null }>(
    db,
    sql`select (extract(epoch from min(${mediaChores.dueAt}) - clock_timestamp()) * 1000)::float8 as ms from ${mediaChores}`,
  )
  return row?.ms ?? undefined
}

export async function deleteChore(db: Db, id: bigint): Promise<void> {
  await db.delete(mediaChores).where(eq(mediaChores.id, id))
}

export async function postponeChore(db: Db, id: bigint, pauseMs: number): Promise<void> {
  await db
    .update(mediaChores)
    .set({ dueAt: soon(pauseMs) })
    .where(eq(mediaChores.id, id))
}

export async function countChoresOf(db: Db, userId: string): Promise<number> {
  return db.$count(mediaChores, eq(mediaChores.userId, userId))
}
