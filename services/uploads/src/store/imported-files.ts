import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import type { AssetRow } from './assets.ts'
import { assets, importedFiles } from './schema.ts'

export const importKey = (source: string, roomId: string, externalId: string): Buffer =>
  createHash('sha256').update(`${source}\0${roomId}\0${externalId}`).digest()

export async function findImported(
  reader: Reader,
  key: Uint8Array,
): Promise<typeof importedFiles.$inferSelect | undefined> {
  const [row] = await reader.select().from(importedFiles).where(eq(importedFiles.key, key))
  return row
}

/** Finds any file that is not marked for deletion, even if its bytes are lost. Does not check who may see the file. */
export async function findAnyAsset(reader: Reader, id: string): Promise<AssetRow | undefined> {
  const [row] = await reader
    .select()
    .from(assets)
    .where(and(eq(assets.id, id), eq(assets.doomed, false)))
  return row
}

export async function recordImportStarted(tx: Tx, key: Uint8Array, uploadId: string): Promise<void> {
  const started = { uploadId, assetId: null }
  await tx
    .insert(importedFiles)
    .values({ key, ...started })
    .onConflictDoUpdate({ target: importedFiles.key, set: started })
}

export async function recordImportCompleted(db: Db, uploadId: string, assetId: string): Promise<void> {
  await db.update(importedFiles).set({ assetId }).where(eq(importedFiles.uploadId, uploadId))
}
