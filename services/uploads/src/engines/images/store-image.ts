import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ServerImageKind } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Db, Tx } from '@parley/postgres'
import { ownerIsGone, unknownKind } from '../../errors.ts'
import { storageKeys, type Storage } from '../storage/index.ts'
import { insertServerImage, type ServerImageKindName } from '../../store/server-images.ts'
import type { ImageProcessor } from './image-processor.ts'

/** The purpose of an image and its maximum size. */
export type PublicKind = { name: ServerImageKindName; maxSize: { width: number; height: number } }

const kinds = new Map<ServerImageKind, PublicKind>([
  [ServerImageKind.AVATAR, { name: 'avatar', maxSize: { width: 256, height: 256 } }],
  [ServerImageKind.LOGO, { name: 'logo', maxSize: { width: 512, height: 512 } }],
  [ServerImageKind.BANNER, { name: 'banner', maxSize: { width: 1200, height: 630 } }],
])

/** Decodes the purpose from a request. Throws `invalid_argument`. */
export function toPublicKind(kind: ServerImageKind): PublicKind {
  const known = kinds.get(kind)
  if (!known) throw unknownKind()
  return known
}

/** Dependencies for storing an image. */
type Needs = { db: Db; storage: Storage; imageProcessor: ImageProcessor; now: () => Date }

type Wanted = { kind: PublicKind; ownerId: string }

/**
 * Converts an upload to a public image and stores it: the bytes first, then the row in the transaction of `within`. The
 * sweep deletes bytes without a row. Returns the key.
 */
export async function storeImage(
  ctx: Needs,
  { kind, ownerId }: Wanted,
  read: () => Promise<Buffer>,
  within?: (tx: Tx) => Promise<void>,
): Promise<string> {
  const { bytes, width, height } = await ctx.imageProcessor.make(read, { ...kind.maxSize, callerId: ownerId })
  const key = newId('asset')
  await ctx.storage.put(storageKeys.serverImage(key), Readable.from([bytes]))
  const digest = createHash('sha256').update(bytes).digest('hex')
  const row = { key, ownerId, kind: kind.name, size: bytes.length, width, height, digest, createdAt: ctx.now() }
  let gone = false
  try {
    await ctx.db.transaction(async (tx) => {
      await within?.(tx)
      gone = !(await insertServerImage(tx, row))
      if (gone) throw ownerIsGone()
    })
  } catch (error) {
    // After other errors it is unknown whether the row exists; the sweep decides.
    if (gone) await ctx.storage.delete(storageKeys.serverImage(key))
    throw error
  }
  return key
}
