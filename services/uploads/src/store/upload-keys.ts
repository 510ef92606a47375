import { and, eq, inArray, lt } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { uploadKeys } from './schema.ts'

export type KeyedAnswer = Omit<typeof uploadKeys.$inferSelect, 'createdAt'>

export async function findKeyedAnswer(db: Reader, callerId: string, key: string): Promise<KeyedAnswer | undefined> {
  const [row] = await db
    .select()
    .from(uploadKeys)
    .where(and(eq(uploadKeys.callerId, callerId), eq(uploadKeys.key, key)))
  return row
}

/** Takes the key, first thing in the transaction that earns the answer. False when it is taken. */
export async function storeKeyedAnswer(tx: Tx, answer: KeyedAnswer, now: Date): Promise<boolean> {
  const stored = await tx
    .insert(uploadKeys)
    .values({ ...answer, createdAt: now })
    .onConflictDoNothing()
    .returning({ key: uploadKeys.key })
  return stored.length > 0
}

export async function forgetKeys(db: Db, before: Date): Promise<void> {
  await db.delete(uploadKeys).where(lt(uploadKeys.createdAt, before))
}

/** Forgets some of the answers somebody got. Says how many. */
export async function forgetKeysOf(db: Db, callerId: string, most: number): Promise<number> {
  const some = db.select({ key: uploadKeys.key }).from(uploadKeys).where(eq(uploadKeys.callerId, callerId)).limit(most)
  const gone = and(eq(uploadKeys.callerId, callerId), inArray(uploadKeys.key, some))
  return (await db.delete(uploadKeys).where(gone)).rowCount ?? 0
}
