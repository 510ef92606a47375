import { and, eq, gt, sql, sum, type SQL } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { assets, uploads } from './schema.ts'

export async function lockOwner(tx: Tx, ownerId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`uploads of ${ownerId}`}, 0))`)
}

export async function sumOpenUploads(
  reader: Reader,
  ownerId: string,
  now: Date,
): Promise<{ count: number; bytes: number }> {
  const [row] = await reader
    .select({ count: sql`count(*)`.mapWith(Number), bytes: sum(uploads.size).mapWith(Number) })
    .from(uploads)
    .where(and(eq(uploads.ownerId, ownerId), isOpen(now)))
  return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 }
}

export const sumPendingBytes = (reader: Reader, ownerId: string): Promise<number> =>
  sumAssetBytes(reader, and(eq(assets.ownerId, ownerId), sql`not ${assets.posted} and not ${assets.doomed}`))

export const sumOwnerBytes = (reader: Reader, ownerId: string): Promise<number> =>
  sumAssetBytes(reader, and(eq(assets.ownerId, ownerId), eq(assets.doomed, false)))

export async function sumServerBytes(db: Db, now: Date): Promise<number> {
  const [row] = await db
    .select({ bytes: sum(uploads.size).mapWith(Number) })
    .from(uploads)
    .where(isOpen(now))
  return (row?.bytes ?? 0) + (await sumAssetBytes(db, undefined))
}

const isOpen = (now: Date) => and(eq(uploads.state, 'open'), gt(uploads.expiresAt, now))

async function sumAssetBytes(reader: Reader, which: SQL | undefined): Promise<number> {
  const [row] = await reader
    .select({ bytes: sum(assets.size).mapWith(Number) })
    .from(assets)
    .where(which)
  return row?.bytes ?? 0
}
