import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ServerImageKind } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Tx } from '@parley/postgres'
import type { Context } from '../context.ts'
import { ownerIsGone, unknownKind } from '../errors.ts'
import { storageKeys } from '../storage/storage.ts'
import { insertServerImage, type ServerImageKindName } from '../store/server-images.ts'

const names = new Map<ServerImageKind, ServerImageKindName>([
  [ServerImageKind.AVATAR, 'avatar'],
  [ServerImageKind.LOGO, 'logo'],
  [ServerImageKind.BANNER, 'banner'],
])

type Wanted = { kind: ServerImageKind; ownerId: string }

/**
 * Makes a public image of what somebody sent and stores it: the bytes first, then the row, together with what `within`
 * writes. Bytes without a row are swept. Answers the key.
 */
export async function keepServerImage(
  ctx: Context,
  { kind, ownerId }: Wanted,
  read: () => Promise<Buffer>,
  within?: (tx: Tx) => Promise<void>,
): Promise<string> {
  const name = names.get(kind)
  if (!name) throw unknownKind()
  const { bytes, width, height } = await ctx.studio.make(read, kind)
  const key = newId('asset')
  await ctx.storage.put(storageKeys.serverImage(key), Readable.from([bytes]))
  const digest = createHash('sha256').update(bytes).digest('hex')
  const row = { key, ownerId, kind: name, size: bytes.length, width, height, digest, createdAt: ctx.now() }
  let gone = false
  try {
    await ctx.db.transaction(async (tx) => {
      await within?.(tx)
      gone = !(await insertServerImage(tx, row))
      if (gone) throw ownerIsGone()
    })
  } catch (error) {
    // Of others nobody knows whether the row is there; theirs are swept.
    if (gone) await ctx.storage.delete(storageKeys.serverImage(key))
    throw error
  }
  return key
}
