import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { MethodImpl } from '@connectrpc/connect'
import type { AssetUploadService, UploadChunkRequest } from '@parley/contracts/api'
import { newId } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { maxChunkBytes, maxSmallChunks, smallChunkBytes } from '../../domain/limits.ts'
import * as errors from '../../errors.ts'
import { getOwnUpload } from '../../actions/files/own-upload.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { appendChunk, type UploadRow } from '../../store/uploads.ts'
import { toUpload } from '../../view/upload.ts'

export function uploadChunk(ctx: Context): MethodImpl<typeof AssetUploadService.method.uploadChunk> {
  return async (request, call) => {
    const { userId } = callerOf(call)
    const upload = await getOwnUpload(ctx, request.uploadId, userId)
    const position = checkChunk(request, upload)
    const key = storageKeys.chunk(upload.id, newId('asset'))
    await ctx.storage.put(key, Readable.from([Buffer.from(request.content)]))
    const chunk = { uploadId: upload.id, position, size: request.content.length, key, small: isSmall(request, upload) }
    const updated = await ctx.db.transaction((tx) => appendChunk(tx, chunk))
    if (updated) return { upload: toUpload(updated) }
    await ctx.storage.delete(key)
    checkChunk(request, await getOwnUpload(ctx, upload.id, userId))
    throw errors.uploadNotFound()
  }
}

const isSmall = ({ content }: Pick<UploadChunkRequest, 'content'>, { committed, size }: UploadRow): boolean =>
  content.length < smallChunkBytes && committed + content.length < size

function checkChunk({ content, chunkSha256, offset }: UploadChunkRequest, upload: UploadRow): number {
  if (upload.state !== 'open') throw errors.uploadNotOpen()
  if (content.length > maxChunkBytes) throw errors.chunkTooLarge(maxChunkBytes)
  if (offset !== BigInt(upload.committed)) throw errors.wrongOffset(upload.committed)
  if (upload.committed + content.length > upload.size) throw errors.beyondSize(upload.size)
  if (isSmall({ content }, upload) && upload.smallChunks >= maxSmallChunks)
    throw errors.tooManySmallChunks(smallChunkBytes)
  if (createHash('sha256').update(content).digest('hex') !== chunkSha256) throw errors.chunkDiffers()
  return upload.committed
}
