import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { idempotentCalls } from './schema.ts'

/** A call a client may repeat: who made it, which method, under which key. */
export type KeyedCall = { callerId: string; method: string; key: string }
export type AnsweredCall = typeof idempotentCalls.$inferSelect

const keptFor = sql`interval '24 hours'`
const isCall = ({ callerId, method, key }: KeyedCall) =>
  and(eq(idempotentCalls.callerId, callerId), eq(idempotentCalls.method, method), eq(idempotentCalls.key, key))

export async function findAnswer(reader: Reader, call: KeyedCall): Promise<AnsweredCall | undefined> {
  const fresh = sql`${idempotentCalls.createdAt} > now() - ${keptFor}`
  const [found] = await reader
    .select()
    .from(idempotentCalls)
    .where(and(isCall(call), fresh))
  return found
}

/**
 * Takes the key, first thing in the transaction that earns the answer: a second call under the key waits here until the
 * first is committed or gone. False when the key is taken.
 */
export async function storeAnswer(tx: Tx, answer: Omit<AnsweredCall, 'createdAt'>): Promise<boolean> {
  const stored = await tx
    .insert(idempotentCalls)
    .values({ ...answer, createdAt: sql`now()` })
    .onConflictDoUpdate({
      target: [idempotentCalls.callerId, idempotentCalls.method, idempotentCalls.key],
      set: {
        requestDigest: sql`excluded.request_digest`,
        response: sql`excluded.response`,
        roomId: sql`excluded.room_id`,
        version: sql`excluded.version`,
        createdAt: sql`excluded.created_at`,
      },
      setWhere: sql`${idempotentCalls.createdAt} <= now() - ${keptFor}`,
    })
    .returning({ key: idempotentCalls.key })
  return stored.length > 0
}

export async function forgetAnswers(db: Db): Promise<void> {
  await db.delete(idempotentCalls).where(lt(idempotentCalls.createdAt, sql`now() - ${keptFor}`))
}
