import { and, asc, eq, gt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db, Reader } from '@parley/postgres'
import { storageKeys } from '../engines/storage/index.ts'
import { assets, assetVariants, blobs, serverImages, uploadChunks, uploads } from './schema.ts'

/** The bytes expected in the storage for a row. */
export type Expected = {
  /** Id of the row. */
  id: string
  key: string
  /** Undefined if the row does not contain it. */
  size?: number
  /** Whether its bytes are known to be missing. */
  lost: boolean
}

/** Rows that have bytes. */
export type TableWithBytes = {
  name: string
  /** Rows after an id, in the order of ids. Leaves out rows whose bytes may be deleted now. */
  behind(db: Reader, after: string, limit: number): Promise<Expected[]>
  /** The same for one row, in its current state. */
  now(db: Reader, id: string): Promise<Expected | undefined>
  /** Records that the bytes are lost, which hides or ends what needs them, or that they are found again. */
  mark(db: Db, id: string, lost: boolean): Promise<void>
}

type Find = (db: Reader, where: SQL | undefined, limit: number) => Promise<Expected[]>

function table(name: string, id: PgColumn, find: Find, mark: TableWithBytes['mark']): TableWithBytes {
  return {
    name,
    behind: (db, after, limit) => find(db, gt(id, after), limit),
    now: async (db, wanted) => (await find(db, eq(id, wanted), 1))[0],
    mark,
  }
}

const found = { lost: false }

/** Every kind of row that has bytes. */
export const tablesWithBytes: readonly TableWithBytes[] = [
  table(
    'blobs',
    blobs.id,
    async (db, where, limit) => {
      const rows = await db
        .select({ id: blobs.id, size: blobs.size })
        .from(blobs)
        .where(where)
        .orderBy(asc(blobs.id))
        .limit(limit)
      return rows.map((row) => ({ ...row, ...found, key: storageKeys.blob(row.id) }))
    },
    async (db, id) => void (await db.delete(blobs).where(eq(blobs.id, id))),
  ),
  table(
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
      return rows.map(({ id }) => ({ id, key: id, ...found }))
    },
    // Its file can never be completed: the sender must start again.
    async (db, key) => {
      const broken = db.select({ id: uploadChunks.uploadId }).from(uploadChunks).where(eq(uploadChunks.key, key))
      await db
        .update(uploads)
        .set({ state: 'ended' })
        .where(and(eq(uploads.id, broken), eq(uploads.state, 'open')))
    },
  ),
  table(
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
  table(
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
      return rows.map((row) => ({ ...row, ...found, key: storageKeys.variant(row.id) }))
    },
    async (db, key) => void (await db.delete(assetVariants).where(eq(assetVariants.key, key))),
  ),
  table(
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
