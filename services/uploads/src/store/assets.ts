import { and, asc, eq, inArray, isNotNull, lt, or, sql } from 'drizzle-orm'
import { CommitChannel, type Db, type Reader, type Tx } from '@parley/postgres'
import { mayBeDeletedNow } from './failed-deletions.ts'
import { assets, assetVariants, videoJobs } from './schema.ts'

export type AssetRow = typeof assets.$inferSelect
export type NewAsset = Omit<AssetRow, 'claimEventId' | 'claimedAt' | 'posted' | 'lost' | 'doomed'>

export async function insertAsset(tx: Tx, asset: NewAsset): Promise<AssetRow | undefined> {
  const [row] = await tx.insert(assets).values(asset).returning()
  return row
}

/** A member of the room sees a file if it is claimed for a message or their own. */
const isVisibleTo = (userId: string) =>
  and(eq(assets.doomed, false), eq(assets.lost, false), or(isNotNull(assets.claimEventId), eq(assets.ownerId, userId)))

export async function findAsset(db: Reader, id: string, userId: string): Promise<AssetRow | undefined> {
  const [row] = await db
    .select()
    .from(assets)
    .where(and(eq(assets.id, id), isVisibleTo(userId)))
  return row
}

export function findAssets(
  db: Reader,
  { roomId, ids, userId }: { roomId: string; ids: readonly string[]; userId: string },
): Promise<AssetRow[]> {
  return db
    .select()
    .from(assets)
    .where(and(inArray(assets.id, [...ids]), eq(assets.roomId, roomId), isVisibleTo(userId)))
}

/** Skips files that are lost or marked for deletion. Locks in the order of their ids. */
export function lockAssets(tx: Tx, ids: readonly string[]): Promise<AssetRow[]> {
  return tx
    .select()
    .from(assets)
    .where(and(inArray(assets.id, [...ids]), eq(assets.doomed, false), eq(assets.lost, false)))
    .orderBy(asc(assets.id))
    .for('update')
}

export async function claim(tx: Tx, ids: readonly string[], eventId: string, now: Date): Promise<void> {
  await tx
    .update(assets)
    .set({ claimEventId: eventId, claimedAt: now })
    .where(inArray(assets.id, [...ids]))
}

export async function confirmPosted(tx: Tx, posted: readonly { assetId: string; eventId: string }[]): Promise<void> {
  if (posted.length === 0) return
  const ordered = posted.toSorted((a, b) => (a.assetId < b.assetId ? -1 : 1))
  const rows = sql.join(
    ordered.map(({ assetId, eventId }) => sql`(${assetId}::text, ${eventId}::text)`),
    sql`, `,
  )
  await tx.execute(sql`
    update ${assets} set posted = true, claim_event_id = posted.event_id
    from (values ${rows}) as posted (asset_id, event_id) where ${assets.id} = posted.asset_id`)
}

export const deletionsMarked = new CommitChannel()

export async function markAssetsForDeletion(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .update(assets)
    .set({ doomed: true })
    .where(inArray(assets.id, [...ids]))
  deletionsMarked.notify(tx)
}

const isUnusedSince = (before: Date) =>
  and(
    sql`not ${assets.posted} and not ${assets.doomed}`,
    lt(assets.createdAt, before),
    sql`(${assets.claimedAt} is null or ${assets.claimedAt} < ${before})`,
  )

export async function findUnusedAssets(db: Reader, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(isUnusedSince(before))
    .orderBy(asc(assets.createdAt))
    .limit(limit)
  return rows.map(({ id }) => id)
}

export async function markUnusedForDeletion(tx: Tx, ids: readonly string[], before: Date): Promise<AssetRow[]> {
  if (ids.length === 0) return []
  const unused = tx
    .select({ id: assets.id })
    .from(assets)
    .where(and(inArray(assets.id, [...ids]), isUnusedSince(before)))
    .for('update', { skipLocked: true })
  deletionsMarked.notify(tx)
  return tx.update(assets).set({ doomed: true }).where(inArray(assets.id, unused)).returning()
}

export const countAssetsOf = (db: Reader, ownerId: string): Promise<number> =>
  db.$count(assets, eq(assets.ownerId, ownerId))

export async function markOwnedAssetsForDeletion(db: Db, ownerId: string, limit: number): Promise<number> {
  const batch = db
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.ownerId, ownerId), eq(assets.doomed, false)))
    .limit(limit)
  return (await db.update(assets).set({ doomed: true }).where(inArray(assets.id, batch))).rowCount ?? 0
}

export async function findAssetsToDelete(db: Reader, limit: number, ownerId?: string): Promise<string[]> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(
      and(sql`doomed`, mayBeDeletedNow(assets.id), ownerId === undefined ? undefined : eq(assets.ownerId, ownerId)),
    )
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Also deletes the rows of their renditions and video jobs. To be called after the bytes were deleted. */
export async function forgetAssets(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.transaction(async (tx) => {
    const marked = tx
      .select({ id: assets.id })
      .from(assets)
      .where(and(inArray(assets.id, [...ids]), eq(assets.doomed, true)))
    await tx.delete(assetVariants).where(inArray(assetVariants.assetId, marked))
    await tx.delete(videoJobs).where(inArray(videoJobs.assetId, marked))
    await tx.delete(assets).where(inArray(assets.id, marked))
  })
}

export async function findUnknownAssets(db: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(inArray(assets.id, [...ids]))
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}
