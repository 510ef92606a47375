import { and, asc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { calls } from './schema.ts'

export type CallRow = typeof calls.$inferSelect

export async function findCall(db: Reader, id: string): Promise<CallRow | undefined> {
  const [row] = await db.select().from(calls).where(eq(calls.id, id))
  return row
}

export async function findActiveCall(db: Reader, roomId: string): Promise<CallRow | undefined> {
  const [row] = await db.select().from(calls).where(isActiveIn(roomId))
  return row
}

export function findActiveCalls(db: Reader, roomIds: readonly string[]): Promise<CallRow[]> {
  return db
    .select()
    .from(calls)
    .where(and(inArray(calls.roomId, [...roomIds]), isNull(calls.endedAt)))
}

export function listActiveCalls(db: Reader, after: string, limit: number): Promise<CallRow[]> {
  return db
    .select()
    .from(calls)
    .where(and(isNull(calls.endedAt), gt(calls.roomId, after)))
    .orderBy(asc(calls.roomId))
    .limit(limit)
}

/** Every change needs the lock, so that events are stored in the order of their versions. */
export async function lockCall(tx: Tx, id: string): Promise<CallRow | undefined> {
  const [row] = await tx.select().from(calls).where(eq(calls.id, id)).for('update')
  return row
}

export async function lockActiveCall(tx: Tx, roomId: string): Promise<CallRow | undefined> {
  const [row] = await tx.select().from(calls).where(isActiveIn(roomId)).for('update')
  return row
}

export async function insertCall(tx: Tx, call: CallRow): Promise<CallRow | undefined> {
  const [row] = await tx
    .insert(calls)
    .values(call)
    .onConflictDoNothing({ target: calls.roomId, where: sql`ended_at is null` })
    .returning()
  return row
}

export async function updateCall(tx: Tx, { id, ...call }: CallRow): Promise<void> {
  await tx.update(calls).set(call).where(eq(calls.id, id))
}

export async function forgetEndedCalls(db: Db, before: Date): Promise<void> {
  await db.delete(calls).where(lt(calls.endedAt, before))
}

const isActiveIn = (roomId: string) => and(eq(calls.roomId, roomId), isNull(calls.endedAt))
