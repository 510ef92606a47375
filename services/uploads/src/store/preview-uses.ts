import { and, eq, lt, notExists, sql } from 'drizzle-orm'
import type { Db, Tx } from '@parley/postgres'
import { linkPreviews, previewUses, serverImages } from './schema.ts'

type Use = { imageKey: string; messageEventId: string }

const inOrder = <T extends Use>(uses: readonly T[]): T[] => {
  const once = new Map(uses.map((use) => [`${use.imageKey} ${use.messageEventId}`, use]))
  return [...once.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use)
}

/** Messages show these images, unless they ceased to before this was heard. */
export async function beginPreviewUses(tx: Tx, uses: readonly (Use & { authorId: string })[]): Promise<void> {
  if (uses.length === 0) return
  const rows = inOrder(uses).map((use) => ({ ...use, ended: false, changedAt: sql`now()` }))
  await tx.insert(previewUses).values(rows).onConflictDoNothing()
}

/** Messages show these images no longer, whether or not it was heard that they did. */
export async function endPreviewUses(tx: Tx, uses: readonly Use[]): Promise<void> {
  if (uses.length === 0) return
  const rows = inOrder(uses).map((use) => ({ ...use, authorId: '', ended: true, changedAt: sql`now()` }))
  await tx
    .insert(previewUses)
    .values(rows)
    .onConflictDoUpdate({
      target: [previewUses.imageKey, previewUses.messageEventId],
      set: { authorId: '', ended: true, changedAt: sql`now()` },
    })
}

/** Forgets uses that ended so long ago that no event of theirs can come any more. */
export async function forgetEndedUses(db: Db): Promise<void> {
  await db
    .delete(previewUses)
    .where(and(sql`${previewUses.ended}`, lt(previewUses.changedAt, sql`now() - interval '4 days'`)))
}

export async function forgetUsesOf(db: Db, authorId: string): Promise<number> {
  return (await db.delete(previewUses).where(eq(previewUses.authorId, authorId))).rowCount ?? 0
}

/** Dooms images that were stored before then and that neither a preview nor a message names. */
export async function doomUnusedPreviewImages(db: Db, before: Date): Promise<void> {
  const previews = db
    .select({ one: sql`1` })
    .from(linkPreviews)
    .where(eq(linkPreviews.imageKey, serverImages.key))
  const uses = db
    .select({ one: sql`1` })
    .from(previewUses)
    .where(and(eq(previewUses.imageKey, serverImages.key), eq(previewUses.ended, false)))
  await db
    .update(serverImages)
    .set({ doomed: true })
    .where(
      and(
        ...[eq(serverImages.kind, 'link_preview'), sql`not claimed and not doomed`, lt(serverImages.createdAt, before)],
        ...[notExists(previews), notExists(uses)],
      ),
    )
}
