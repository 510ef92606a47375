import { and, eq, exists, lt, or, sql } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { linkPreviews, previewUses, serverImages } from './schema.ts'
import { inPageOrder, isInPage, type ImagePage, type ImagePosition } from './server-images.ts'

type Use = { imageKey: string; messageEventId: string }

const sortUnique = <T extends Use>(uses: readonly T[]): T[] => {
  const byId = new Map(uses.map((use) => [`${use.imageKey} ${use.messageEventId}`, use]))
  return [...byId.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use)
}

export async function beginPreviewUses(tx: Tx, uses: readonly (Use & { authorId: string })[]): Promise<void> {
  if (uses.length === 0) return
  const rows = sortUnique(uses).map((use) => ({ ...use, ended: false, changedAt: sql`now()` }))
  await tx.insert(previewUses).values(rows).onConflictDoNothing()
}

/** Also takes effect if the event about the start of a use arrives later. */
export async function endPreviewUses(tx: Tx, uses: readonly Use[]): Promise<void> {
  if (uses.length === 0) return
  const rows = sortUnique(uses).map((use) => ({ ...use, authorId: '', ended: true, changedAt: sql`now()` }))
  await tx
    .insert(previewUses)
    .values(rows)
    .onConflictDoUpdate({
      target: [previewUses.imageKey, previewUses.messageEventId],
      set: { authorId: '', ended: true, changedAt: sql`now()` },
    })
}

/** Deletes uses that ended so long ago that no late event can refer to them. Returns their number. */
export async function forgetEndedUses(db: Db, limit: number): Promise<number> {
  const ended = db
    .select({ imageKey: previewUses.imageKey, messageEventId: previewUses.messageEventId })
    .from(previewUses)
    .where(and(sql`${previewUses.ended}`, lt(previewUses.changedAt, sql`now() - interval '4 days'`)))
    .limit(limit)
  const isEnded = sql`(${previewUses.imageKey}, ${previewUses.messageEventId}) in ${ended}`
  return (await db.delete(previewUses).where(isEnded)).rowCount ?? 0
}

export async function forgetUsesOf(db: Db, authorId: string, limit: number): Promise<number> {
  const batch = db
    .select({ imageKey: previewUses.imageKey, messageEventId: previewUses.messageEventId })
    .from(previewUses)
    .where(eq(previewUses.authorId, authorId))
    .limit(limit)
  return (
    (await db.delete(previewUses).where(sql`(${previewUses.imageKey}, ${previewUses.messageEventId}) in ${batch}`))
      .rowCount ?? 0
  )
}

/** `used`: by a preview or a known message. */
export function listPreviewImages(db: Reader, page: ImagePage): Promise<(ImagePosition & { used: boolean })[]> {
  const previews = db
    .select({ one: sql`1` })
    .from(linkPreviews)
    .where(eq(linkPreviews.imageKey, serverImages.key))
  const uses = db
    .select({ one: sql`1` })
    .from(previewUses)
    .where(and(eq(previewUses.imageKey, serverImages.key), eq(previewUses.ended, false)))
  const { key, createdAt } = serverImages
  return db
    .select({ key, createdAt, used: sql<boolean>`(${or(exists(previews), exists(uses))})` })
    .from(serverImages)
    .where(and(eq(serverImages.kind, 'link_preview'), sql`not claimed and not doomed`, isInPage(page)))
    .orderBy(...inPageOrder)
    .limit(page.limit)
}
