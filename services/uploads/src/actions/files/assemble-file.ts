import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { enqueue } from '@parley/events'
import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { keptMs } from '../../domain/limits.ts'
import { isDecodedImage } from '../../domain/media-type.ts'
import { fileDiffers, ownerIsGone, uploadNotFound } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { insertAsset, type NewAsset } from '../../store/assets.ts'
import { isErased } from '../../store/erased.ts'
import { findChunks, markCompleted, type UploadRow } from '../../store/uploads.ts'
import { assetCreated } from '../../view/asset-events.ts'
import { readAhead } from './read-ahead.ts'
import type { Completed } from './upload-completions.ts'

const chunksAtOnce = 4

/**
 * Stores the bytes first, then the row. Returns undefined if another call has completed or ended the upload meanwhile.
 * Throws `invalid_argument` if the file differs from the announced one or is an invalid image, `not_found` if a chunk
 * is gone or the owner is deleted, and `resource_exhausted` under overload.
 */
export const assembleFile = (ctx: Context, upload: UploadRow): Promise<Completed | undefined> =>
  ctx.completions.run(upload.id, () => assemble(ctx, upload))

async function assemble(ctx: Context, upload: UploadRow): Promise<Completed | undefined> {
  const { ownerId, roomId, filename, size, sha256 } = upload
  const id = newId('asset')
  const bytesKey = storageKeys.asset(id)
  const discard = () => ctx.storage.delete(bytesKey)
  const hash = createHash('sha256')
  const chunks = await findChunks(ctx.db, upload.id)
  await ctx.storage.put(bytesKey, Readable.from(contentOf(ctx, chunks, hash)))
  const inspected = await inspect(ctx, upload, { bytesKey, digest: hash.digest('hex') }).catch(
    async (error: unknown) => {
      await discard()
      throw error
    },
  )
  // If the commit fails it is unknown whether the row exists, so the bytes are left to the sweep.
  const done = await commit(ctx, upload.id, {
    id,
    roomId,
    ownerId,
    filename,
    size,
    sha256,
    createdAt: ctx.now(),
    ...inspected,
  })
  if (typeof done === 'object') return done
  await discard()
  if (done === 'erased') throw ownerIsGone()
  return undefined
}

type Stored = { bytesKey: string; digest: string }

async function inspect(ctx: Context, { contentType, ownerId, sha256 }: UploadRow, { bytesKey, digest }: Stored) {
  if (digest !== sha256) throw fileDiffers()
  if (!isDecodedImage(contentType)) return { contentType, width: 0, height: 0, animated: false }
  return ctx.imageProcessor.inspect(async () => {
    const stored = await ctx.storage.get(bytesKey)
    if (!stored) throw uploadNotFound()
    return buffer(stored.content)
  }, ownerId)
}

async function* contentOf(ctx: Context, chunks: readonly string[], hash: Hash): AsyncIterable<Buffer> {
  const readChunk = async (key: string): Promise<Buffer> => {
    const stored = await ctx.storage.get(key)
    // Another call has assembled the file, or the session has ended.
    if (!stored) throw uploadNotFound()
    return buffer(stored.content)
  }
  for await (const bytes of readAhead(chunks, chunksAtOnce, readChunk)) {
    hash.update(bytes)
    yield bytes
  }
}

async function commit(ctx: Context, uploadId: string, asset: NewAsset): Promise<Completed | 'erased' | 'not open'> {
  const now = asset.createdAt
  const expiresAt = new Date(now.getTime() + keptMs)
  const done = await ctx.db.transaction(async (tx) => {
    if (await isErased(tx, asset.ownerId)) return 'erased'
    const upload = await markCompleted(tx, uploadId, { assetId: asset.id, expiresAt })
    const row = upload && (await insertAsset(tx, asset))
    if (!row) return 'not open'
    return { upload, asset: row, entries: await enqueue(tx, assetCreated(row, now)) }
  })
  if (typeof done === 'object') ctx.relay.wake(done.entries)
  return done
}
