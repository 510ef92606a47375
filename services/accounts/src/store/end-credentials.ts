import { and, desc, eq, inArray, isNull, lt, or } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import type { NewCredential } from './credentials.ts'
import { credentials } from './schema.ts'

export type EndedCredential = { id: string; kind: NewCredential['kind'] }

/** Returns the credentials that had not ended before. */
export async function endByDigest(tx: Tx, userId: string, digests: Buffer[], at: Date): Promise<EndedCredential[]> {
  return tx
    .update(credentials)
    .set({ endedAt: at })
    .where(and(eq(credentials.userId, userId), hasAnyDigest(digests), isNull(credentials.endedAt)))
    .returning({ id: credentials.id, kind: credentials.kind })
}

/**
 * Matches the previous handle, too, so that a browser with the old cookie can end a session that was just rotated.
 */
const hasAnyDigest = (digests: Buffer[]) =>
  or(inArray(credentials.digest, digests), inArray(credentials.previousDigest, digests))

/** Returns the ids of the credentials that had not ended before. */
export async function endById(tx: Tx, userId: string, ids: readonly string[], at: Date): Promise<string[]> {
  const rows = await tx
    .update(credentials)
    .set({ endedAt: at })
    .where(and(eq(credentials.userId, userId), inArray(credentials.id, [...ids]), isNull(credentials.endedAt)))
    .returning({ id: credentials.id })
  return rows.map((row) => row.id)
}

export async function usersOfDigests(db: Reader, digests: Buffer[]): Promise<string[]> {
  if (digests.length === 0) return []
  const rows = await db.selectDistinct({ userId: credentials.userId }).from(credentials).where(hasAnyDigest(digests))
  return rows.map((row) => row.userId)
}

export async function endAllOf(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx
    .update(credentials)
    .set({ endedAt: at })
    .where(and(eq(credentials.userId, userId), isNull(credentials.endedAt)))
}

/**
 * Deletes all credentials except the `keep` that expire last: those were used last, exact to a day. Returns the ids of
 * the deleted ones.
 */
export async function trimCredentials(tx: Tx, userId: string, keep: number): Promise<string[]> {
  const beyond = tx
    .select({ id: credentials.id })
    .from(credentials)
    .where(eq(credentials.userId, userId))
    .orderBy(desc(credentials.expiresAt), desc(credentials.createdAt), desc(credentials.id))
    .offset(keep)
  const deleted = await tx.delete(credentials).where(inArray(credentials.id, beyond)).returning({ id: credentials.id })
  return deleted.map(({ id }) => id)
}

export async function deleteEnded(db: Db, before: Date, limit: number): Promise<number> {
  const ended = db
    .select({ id: credentials.id })
    .from(credentials)
    .where(lt(credentials.endedAt, before))
    .limit(limit)
    .for('update', { skipLocked: true })
  const deleted = await db.delete(credentials).where(inArray(credentials.id, ended))
  return deleted.rowCount ?? 0
}

export async function usersWithExpired(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectDistinct({ userId: credentials.userId })
    .from(credentials)
    .where(lt(credentials.expiresAt, before))
    .limit(limit)
  return rows.map(({ userId }) => userId)
}

/** Returns the ids of those without `endedAt`: only their end is still to be announced. */
export async function deleteExpiredOf(tx: Reader, userId: string, before: Date): Promise<string[]> {
  const expired = and(eq(credentials.userId, userId), lt(credentials.expiresAt, before))
  const deleted = await tx
    .delete(credentials)
    .where(expired)
    .returning({ id: credentials.id, endedAt: credentials.endedAt })
  return deleted.filter(({ endedAt }) => endedAt === null).map(({ id }) => id)
}
