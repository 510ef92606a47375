import { and, eq, inArray, lt } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { blobs } from './schema.ts'

export type BlobRow = typeof blobs.$inferSelect

export async function insertBlob(db: Db, blob: BlobRow): Promise<string> {
  const [inserted] = await db
    .insert(blobs)
    .values(blob)
    .onConflictDoNothing({ target: blobs.nonce })
    .returning({ id: blobs.id })
  if (inserted) return inserted.id
  const [earlier] = await db.select({ id: blobs.id }).from(blobs).where(eq(blobs.nonce, blob.nonce))
  return earlier?.id ?? blob.id
}

export async function findBlob(db: Reader, id: string, callerId: string): Promise<BlobRow | undefined> {
  const [row] = await db
    .select()
    .from(blobs)
    .where(and(eq(blobs.id, id), eq(blobs.callerId, callerId)))
  return row
}

/** Deletes the row of a blob. Returns false if there was none: another call has used the blob, or it has expired. */
export async function takeBlob(db: Db | Tx, id: string): Promise<boolean> {
  return (await db.delete(blobs).where(eq(blobs.id, id)).returning({ id: blobs.id })).length > 0
}

export async function forgetOldBlobs(db: Db, before: Date, limit: number): Promise<string[]> {
  const old = db.select({ id: blobs.id }).from(blobs).where(lt(blobs.createdAt, before)).limit(limit)
  const rows = await db.delete(blobs).where(inArray(blobs.id, old)).returning({ id: blobs.id })
  return rows.map(({ id }) => id)
}

export async function takeBlobsOf(db: Db, callerId: string, limit: number): Promise<string[]> {
  const ofCaller = db.select({ id: blobs.id }).from(blobs).where(eq(blobs.callerId, callerId)).limit(limit)
  const rows = await db.delete(blobs).where(inArray(blobs.id, ofCaller)).returning({ id: blobs.id })
  return rows.map(({ id }) => id)
}

export async function findUnknownBlobs(db: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ id: blobs.id })
    .from(blobs)
    .where(inArray(blobs.id, [...ids]))
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}
