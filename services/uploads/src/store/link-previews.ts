import { and, desc, eq, gt, inArray, lt } from 'drizzle-orm'
import type { Db, Reader } from '@parley/postgres'
import { linkPreviews } from './schema.ts'

export type LinkPreviewRow = typeof linkPreviews.$inferSelect

export async function findPreview(db: Reader, urlDigest: Buffer, now: Date): Promise<LinkPreviewRow | undefined> {
  const [row] = await db
    .select()
    .from(linkPreviews)
    .where(and(eq(linkPreviews.urlDigest, urlDigest), gt(linkPreviews.expiresAt, now)))
    .orderBy(desc(linkPreviews.expiresAt))
    .limit(1)
  return row
}

export async function insertPreview(db: Db, row: LinkPreviewRow): Promise<void> {
  await db.insert(linkPreviews).values(row)
}

export async function forgetPreviews(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ id: linkPreviews.id })
    .from(linkPreviews)
    .where(lt(linkPreviews.expiresAt, before))
    .limit(limit)
  return (await db.delete(linkPreviews).where(inArray(linkPreviews.id, old))).rowCount ?? 0
}
