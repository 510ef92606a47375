import { and, eq, lt } from 'drizzle-orm'
import { deleteInBatches, type Db, type Reader, type Tx } from '@parley/postgres'
import { callKeys } from './schema.ts'

export type CallKey = Omit<typeof callKeys.$inferSelect, 'createdAt'>

export async function findCallKey(db: Reader, callerId: string, key: string): Promise<CallKey | undefined> {
  const [row] = await db
    .select()
    .from(callKeys)
    .where(and(eq(callKeys.callerId, callerId), eq(callKeys.key, key)))
  return row
}

/** Takes the key, first thing in the transaction that earns the answer. False when it is taken. */
export async function storeCallKey(tx: Tx, key: CallKey, now: Date): Promise<boolean> {
  const stored = await tx
    .insert(callKeys)
    .values({ ...key, createdAt: now })
    .onConflictDoNothing()
    .returning({ key: callKeys.key })
  return stored.length > 0
}

/** What was refused after all may be tried again under its key. */
export async function forgetCallKey(db: Db, { callerId, key }: Pick<CallKey, 'callerId' | 'key'>): Promise<void> {
  await db.delete(callKeys).where(and(eq(callKeys.callerId, callerId), eq(callKeys.key, key)))
}

export async function forgetCallKeys(db: Db, before: Date): Promise<void> {
  await db.delete(callKeys).where(lt(callKeys.createdAt, before))
}

export function forgetCallKeysOf(db: Db, callerId: string, signal: AbortSignal): Promise<number> {
  return deleteInBatches(db, callKeys, { where: eq(callKeys.callerId, callerId), signal })
}
