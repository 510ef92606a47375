import { and, eq, inArray, lte, ne, notExists, sql } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { mayBeDeletedNow } from './failed-deletions.ts'
import { uploadChunks, uploads } from './schema.ts'

export type UploadRow = typeof uploads.$inferSelect
export type NewUpload = Omit<UploadRow, 'state' | 'committed' | 'smallChunks' | 'assetId'>

export async function insertUpload(tx: Tx, upload: NewUpload): Promise<void> {
  await tx.insert(uploads).values(upload)
}

export async function findUpload(db: Reader, id: string, now: Date): Promise<UploadRow | undefined> {
  const [row] = await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), ne(uploads.state, 'ended'), sql`${uploads.expiresAt} > ${now}`))
  return row
}

const isOpen = (id: string) => and(eq(uploads.id, id), eq(uploads.state, 'open'))

/** Returns undefined if the chunk does not follow the previous ones, or the session is not open. */
export async function appendChunk(
  tx: Tx,
  chunk: { uploadId: string; position: number; size: number; key: string; small?: boolean },
): Promise<UploadRow | undefined> {
  const { uploadId, position, size, key, small = false } = chunk
  const [row] = await tx
    .update(uploads)
    .set({ committed: position + size, ...(small && { smallChunks: sql`${uploads.smallChunks} + 1` }) })
    .where(and(isOpen(uploadId), eq(uploads.committed, position)))
    .returning()
  if (row) await tx.insert(uploadChunks).values({ uploadId, position, key })
  return row
}

export async function findChunks(db: Reader, uploadId: string): Promise<string[]> {
  const rows = await db
    .select({ key: uploadChunks.key })
    .from(uploadChunks)
    .where(eq(uploadChunks.uploadId, uploadId))
    .orderBy(uploadChunks.position)
  return rows.map(({ key }) => key)
}

export async function markCompleted(
  tx: Tx,
  id: string,
  { assetId, expiresAt }: { assetId: string; expiresAt: Date },
): Promise<UploadRow | undefined> {
  const [row] = await tx.update(uploads).set({ state: 'completed', assetId, expiresAt }).where(isOpen(id)).returning()
  return row
}

export async function markEnded(db: Db, id: string): Promise<UploadRow | undefined> {
  const [row] = await db.update(uploads).set({ state: 'ended' }).where(isOpen(id)).returning()
  return row
}

export async function endExpired(db: Db, now: Date): Promise<void> {
  await db
    .update(uploads)
    .set({ state: 'ended' })
    .where(and(ne(uploads.state, 'ended'), lte(uploads.expiresAt, now)))
}

export async function endUploadsOf(db: Db, ownerId: string): Promise<number> {
  return (await db.update(uploads).set({ state: 'ended' }).where(eq(uploads.ownerId, ownerId))).rowCount ?? 0
}

export async function findChunksOf(db: Reader, ownerId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ key: uploadChunks.key })
    .from(uploadChunks)
    .innerJoin(uploads, eq(uploads.id, uploadChunks.uploadId))
    .where(and(eq(uploads.ownerId, ownerId), mayBeDeletedNow(uploadChunks.key)))
    .limit(limit)
  return rows.map(({ key }) => key)
}

export async function findChunksToDelete(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .select({ key: uploadChunks.key })
    .from(uploadChunks)
    .innerJoin(uploads, eq(uploads.id, uploadChunks.uploadId))
    .where(and(ne(uploads.state, 'open'), mayBeDeletedNow(uploadChunks.key)))
    .limit(limit)
  return rows.map(({ key }) => key)
}

export async function forgetChunks(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await db.delete(uploadChunks).where(inArray(uploadChunks.key, [...keys]))
}

/** Deletes ended sessions without chunks, of one owner or of all. */
export async function forgetEnded(db: Db, ownerId?: string): Promise<void> {
  const chunks = db
    .select({ one: sql`1` })
    .from(uploadChunks)
    .where(eq(uploadChunks.uploadId, uploads.id))
  const ofOwner = ownerId === undefined ? undefined : eq(uploads.ownerId, ownerId)
  await db.delete(uploads).where(and(eq(uploads.state, 'ended'), ofOwner, notExists(chunks)))
}

export async function findUnknownChunks(db: Reader, keys: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ key: uploadChunks.key })
    .from(uploadChunks)
    .where(inArray(uploadChunks.key, [...keys]))
  const known = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !known.has(key))
}
