import { and, eq, lt, sql } from 'drizzle-orm'
import { deleteInBatches, type Db, type Reader, type Tx } from '@parley/postgres'
import { idempotentCalls } from './schema.ts'

export type KeyedCall = { callerId: string; method: string; key: string }
type Answer = Pick<typeof idempotentCalls.$inferSelect, 'requestDigest' | 'response'>

const { callerId, method, key, requestDigest, response, createdAt } = idempotentCalls
const retention = sql`interval '24 hours'`
const isCall = (call: KeyedCall) => and(eq(callerId, call.callerId), eq(method, call.method), eq(key, call.key))

export async function findAnswer(reader: Reader, call: KeyedCall): Promise<Answer | undefined> {
  const [found] = await reader
    .select({ requestDigest, response })
    .from(idempotentCalls)
    .where(and(isCall(call), sql`${createdAt} > now() - ${retention}`))
  return found
}

/**
 * Stores the key at the beginning of the transaction that produces the answer: a second call with the key waits here
 * until the first commits or rolls back. Returns false if the key is taken.
 */
export async function storeAnswer(tx: Tx, answer: KeyedCall & Answer): Promise<boolean> {
  const stored = await tx
    .insert(idempotentCalls)
    .values(answer)
    .onConflictDoUpdate({
      target: [callerId, method, key],
      set: {
        requestDigest: sql`excluded.request_digest`,
        response: sql`excluded.response`,
        createdAt: sql`excluded.created_at`,
      },
      setWhere: sql`${createdAt} <= now() - ${retention}`,
    })
    .returning({ key })
  return stored.length > 0
}

export async function forgetAnswer(db: Db, call: KeyedCall): Promise<void> {
  await db.delete(idempotentCalls).where(isCall(call))
}

/** Deletes responses older than 24 hours. Rejects when the signal is aborted. */
export async function forgetOldAnswers(db: Db, signal: AbortSignal): Promise<void> {
  await deleteInBatches(db, idempotentCalls, { where: lt(createdAt, sql`now() - ${retention}`), signal })
}

/** Deletes the responses to calls of a user; resolves with their number. Rejects when the signal is aborted. */
export function deleteAnswersOf(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  return deleteInBatches(db, idempotentCalls, { where: eq(callerId, userId), signal })
}
