import { and, asc, eq, gt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db, Reader } from '@parley/postgres'
import { storageKeys } from '../engines/storage/index.ts'
import { assets, assetVariants, blobs, serverImages, uploadChunks, uploads } from './schema.ts'

export type ExpectedBytes = {
  id: string
  key: string
  size?: number
  lost: boolean
}

export type TableWithBytes = {
  name: string
  /** In the order of ids, without rows whose bytes may already be deleted. */
  listAfter(db: Reader, after: string, limit: number): Promise<ExpectedBytes[]>
  /** Undefined if the row is gone or its bytes may already be deleted. */
  find(db: Reader, id: string): Promise<ExpectedBytes | undefined>
  /**
   * `lost` is false if the bytes are found again. A file or image without bytes is hidden, a blob or rendition is
   * deleted, and the upload session of a chunk is ended.
   */
  markLost(db: Db, id: string, lost: boolean): Promise<void>
}

type FindRows = (db: Reader, where: SQL | undefined, limit: number) => Promise<ExpectedBytes[]>

function defineTable(
  name: string,
  id: PgColumn,
  findRows: FindRows,
  markLost: TableWithBytes['markLost'],
): TableWithBytes {
  return {
    name,
    listAfter: (db, after, limit) => findRows(db, gt(id, after), limit),
    find: async (db, wanted) => (await findRows(db, eq(id, wanted), 1))[0],
    markLost,
  }
}

const notLost = { lost: false }

export const tablesWithBytes: readonly TableWithBytes[] = [
  defineTable(
    'blobs',
    blobs.id,
    async (db, where, limit) => {
      const rows = await db
        .select({ id: blobs.id, size: blobs.size })
        .from(blobs)
        .where(where)
        .orderBy(asc(blobs.id))
        .limit(limit)
      return rows.map((row) => ({ ...row, ...notLost, key: storageKeys.blob(row.id) }))
    },
    async (db, id) => void (await db.delete(blobs).where(eq(blobs.id, id))),
  ),
  defineTable(
    'chunks',
    uploadChunks.key,
    async (db, where, limit) => {
      const rows = await db
        .select({ id: uploadChunks.key })
        .from(uploadChunks)
        .innerJoin(uploads, and(eq(uploads.id, uploadChunks.uploadId), eq(uploads.state, 'open')))
        .where(where)
        .orderBy(asc(uploadChunks.key))
        .limit(limit)
      return rows.map(({ id }) => ({ id, key: id, ...notLost }))
    },
    // A file without this chunk cannot be completed, so the session ends and the sender must start again.
    async (db, key) => {
      const broken = db.select({ id: uploadChunks.uploadId }).from(uploadChunks).where(eq(uploadChunks.key, key))
      await db
        .update(uploads)
        .set({ state: 'ended' })
        .where(and(eq(uploads.id, broken), eq(uploads.state, 'open')))
    },
  ),
  defineTable(
    'assets',
    assets.id,
    async (db, where, limit) => {
      const rows = await db
        .select({ id: assets.id, size: assets.size, lost: assets.lost })
        .from(assets)
        .where(and(where, eq(assets.doomed, false)))
        .orderBy(asc(assets.id))
        .limit(limit)
      return rows.map((row) => ({ ...row, key: storageKeys.asset(row.id) }))
    },
    async (db, id, lost) => void (await db.update(assets).set({ lost }).where(eq(assets.id, id))),
  ),
  defineTable(
    'variants',
    assetVariants.key,
    async (db, where, limit) => {
      const rows = await db
        .select({ id: assetVariants.key, size: assetVariants.size })
        .from(assetVariants)
        .innerJoin(assets, and(eq(assets.id, assetVariants.assetId), eq(assets.doomed, false)))
        .where(where)
        .orderBy(asc(assetVariants.key))
        .limit(limit)
      return rows.map((row) => ({ ...row, ...notLost, key: storageKeys.variant(row.id) }))
    },
    async (db, key) => void (await db.delete(assetVariants).where(eq(assetVariants.key, key))),
  ),
  defineTable(
    'images',
    serverImages.key,
    async (db, where, limit) => {
      const rows = await db
        .select({ id: serverImages.key, size: serverImages.size, lost: serverImages.lost })
        .from(serverImages)
        .where(and(where, eq(serverImages.doomed, false)))
        .orderBy(asc(serverImages.key))
        .limit(limit)
      return rows.map((row) => ({ ...row, key: storageKeys.serverImage(row.id) }))
    },
    async (db, key, lost) => void (await db.update(serverImages).set({ lost }).where(eq(serverImages.key, key))),
  ),
]
