import { and, asc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { deletionsMarked } from './assets.ts'
import { isErased } from './erased.ts'
import { mayBeDeletedNow } from './failed-deletions.ts'
import { serverImageClaims, serverImages } from './schema.ts'

export type ServerImageRow = typeof serverImages.$inferSelect
export type ServerImageKindName = ServerImageRow['kind']

export async function insertServerImage(
  tx: Tx,
  image: Omit<ServerImageRow, 'claimed' | 'lost' | 'doomed'>,
): Promise<boolean> {
  if (await isErased(tx, image.ownerId)) return false
  await tx.insert(serverImages).values(image)
  return true
}

export async function findServerImage(db: Reader, key: string): Promise<ServerImageRow | undefined> {
  const [row] = await db
    .select()
    .from(serverImages)
    .where(and(eq(serverImages.key, key), eq(serverImages.doomed, false), eq(serverImages.lost, false)))
  return row
}

export type Claim = {
  ownerId: string
  kind: Exclude<ServerImageKindName, 'link_preview'>
  key: string | undefined
  version: bigint
}

/**
 * Marks earlier images for deletion. An older event changes nothing. Returns `gone` if the owner has no such image, or
 * if it is marked for deletion.
 */
export async function claimServerImage(tx: Tx, claim: Claim): Promise<'claimed' | 'cleared' | 'older' | 'gone'> {
  const { ownerId, kind, key, version } = claim
  const newest = await tx
    .insert(serverImageClaims)
    .values({ ownerId, kind, key: key ?? null, version })
    .onConflictDoUpdate({
      target: [serverImageClaims.ownerId, serverImageClaims.kind],
      set: { key: key ?? null, version },
      setWhere: lt(serverImageClaims.version, version),
    })
    .returning({ version: serverImageClaims.version })
  if (newest.length === 0) return 'older'
  const ofOwner = and(eq(serverImages.ownerId, ownerId), eq(serverImages.kind, kind), eq(serverImages.doomed, false))
  await tx
    .update(serverImages)
    .set({ doomed: true })
    .where(and(ofOwner, eq(serverImages.claimed, true), key === undefined ? undefined : ne(serverImages.key, key)))
  deletionsMarked.notify(tx)
  if (key === undefined) return 'cleared'
  const claimed = await tx
    .update(serverImages)
    .set({ claimed: true })
    .where(and(ofOwner, eq(serverImages.key, key)))
    .returning({ key: serverImages.key })
  return claimed.length > 0 ? 'claimed' : 'gone'
}

export type ImagePosition = Pick<ServerImageRow, 'createdAt' | 'key'>

export type ImagePage = { before: Date; after: ImagePosition | undefined; limit: number }

export const isInPage = ({ before, after }: ImagePage) =>
  and(
    lt(serverImages.createdAt, before),
    after && sql`(${serverImages.createdAt}, ${serverImages.key}) > (${after.createdAt}, ${after.key})`,
  )
export const inPageOrder = [asc(serverImages.createdAt), asc(serverImages.key)]

const isUnclaimed = sql`not ${serverImages.claimed} and not ${serverImages.doomed}`

export function findUnclaimedImages(
  db: Reader,
  page: ImagePage,
): Promise<Pick<ServerImageRow, 'key' | 'ownerId' | 'kind' | 'createdAt'>[]> {
  const { key, ownerId, kind, createdAt } = serverImages
  return db
    .select({ key, ownerId, kind, createdAt })
    .from(serverImages)
    .where(and(ne(kind, 'link_preview'), isUnclaimed, isInPage(page)))
    .orderBy(...inPageOrder)
    .limit(page.limit)
}

export async function markImagesForDeletion(db: Db, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0
  const marked = await db
    .update(serverImages)
    .set({ doomed: true })
    .where(and(inArray(serverImages.key, [...keys]), isUnclaimed))
  deletionsMarked.notify(db)
  return marked.rowCount ?? 0
}

export async function findImagesToDelete(db: Reader, limit: number, ownerId?: string): Promise<string[]> {
  const rows = await db
    .select({ key: serverImages.key })
    .from(serverImages)
    .where(
      and(
        sql`doomed`,
        mayBeDeletedNow(serverImages.key),
        ownerId === undefined ? undefined : eq(serverImages.ownerId, ownerId),
      ),
    )
    .limit(limit)
  return rows.map(({ key }) => key)
}

export async function forgetServerImages(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length > 0)
    await db.delete(serverImages).where(and(inArray(serverImages.key, [...keys]), eq(serverImages.doomed, true)))
}

export async function findUnknownImages(db: Reader, keys: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ key: serverImages.key })
    .from(serverImages)
    .where(inArray(serverImages.key, [...keys]))
  const known = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !known.has(key))
}

export const countImagesOf = (db: Reader, ownerId: string): Promise<number> =>
  db.$count(serverImages, eq(serverImages.ownerId, ownerId))

export async function markOwnedImagesForDeletion(db: Db, ownerId: string, limit: number): Promise<number> {
  const batch = db
    .select({ key: serverImages.key })
    .from(serverImages)
    .where(and(eq(serverImages.ownerId, ownerId), eq(serverImages.doomed, false)))
    .limit(limit)
  return (await db.update(serverImages).set({ doomed: true }).where(inArray(serverImages.key, batch))).rowCount ?? 0
}

export async function forgetClaimsOf(db: Db, ownerId: string): Promise<number> {
  return (await db.delete(serverImageClaims).where(eq(serverImageClaims.ownerId, ownerId))).rowCount ?? 0
}
