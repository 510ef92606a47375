import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ServerImageKind } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Db, Tx } from '@parley/postgres'
import { ownerIsGone, unknownKind } from '../../errors.ts'
import { storageKeys, type Storage } from '../storage/index.ts'
import { insertServerImage, type ServerImageKindName } from '../../store/server-images.ts'
import type { ImageProcessor } from './image-processor.ts'

/** The kind of an image in the database, and the size to which the image is reduced. */
export type StoredImageKind = { name: ServerImageKindName; maxSize: { width: number; height: number } }

const kinds = new Map<ServerImageKind, StoredImageKind>([
  [ServerImageKind.AVATAR, { name: 'avatar', maxSize: { width: 256, height: 256 } }],
  [ServerImageKind.LOGO, { name: 'logo', maxSize: { width: 512, height: 512 } }],
  [ServerImageKind.BANNER, { name: 'banner', maxSize: { width: 1200, height: 630 } }],
])

export function toStoredImageKind(kind: ServerImageKind): StoredImageKind {
  const known = kinds.get(kind)
  if (!known) throw unknownKind()
  return known
}

type Dependencies = { db: Db; storage: Storage; imageProcessor: ImageProcessor; now: () => Date }

/**
 * Stores the bytes first. One transaction then runs `within` and inserts the row. The sweep deletes bytes without a row.
 * Returns the key. Throws `invalid_argument` for an invalid image, `not_found` for a deleted owner and
 * `resource_exhausted` under overload.
 */
export async function storeImage(
  ctx: Dependencies,
  { kind, ownerId }: { kind: StoredImageKind; ownerId: string },
  read: () => Promise<Buffer>,
  within?: (tx: Tx) => Promise<void>,
): Promise<string> {
  const { bytes, width, height } = await ctx.imageProcessor.convert(read, { ...kind.maxSize, callerId: ownerId })
  const key = newId('asset')
  await ctx.storage.put(storageKeys.serverImage(key), Readable.from([bytes]))
  const digest = createHash('sha256').update(bytes).digest('hex')
  const row = { key, ownerId, kind: kind.name, size: bytes.length, width, height, digest, createdAt: ctx.now() }
  let isOwnerGone = false
  try {
    await ctx.db.transaction(async (tx) => {
      await within?.(tx)
      isOwnerGone = !(await insertServerImage(tx, row))
      if (isOwnerGone) throw ownerIsGone()
    })
  } catch (error) {
    // After other errors it is unknown whether the row exists; the sweep decides.
    if (isOwnerGone) await ctx.storage.delete(storageKeys.serverImage(key))
    throw error
  }
  return key
}
