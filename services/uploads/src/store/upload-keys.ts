import { and, eq, lt } from 'drizzle-orm'
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

export async function forgetKeysOf(db: Db, callerId: string): Promise<number> {
  return (await db.delete(uploadKeys).where(eq(uploadKeys.callerId, callerId))).rowCount ?? 0
}
