import { Readable } from 'node:stream'
import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsTransferService } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { maxChunkBytes } from '../../domain/limits.ts'
import { beyondSize, chunkTooLarge, uploadNotFound, wrongOffset } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { appendChunk, findUpload } from '../../store/uploads.ts'

export function importFileChunk(ctx: Context): MethodImpl<typeof UploadsTransferService.method.importFileChunk> {
  return async ({ uploadId, offset, content }) => {
    if (content.length > maxChunkBytes) throw chunkTooLarge(maxChunkBytes)
    const upload = await findUpload(ctx.db, uploadId, ctx.now())
    if (upload?.state !== 'open') throw uploadNotFound()
    if (Number(offset) + content.length === upload.committed) return { committed: BigInt(upload.committed) }
    if (Number(offset) !== upload.committed) throw wrongOffset(upload.committed)
    if (upload.committed + content.length > upload.size) throw beyondSize(upload.size)
    const key = storageKeys.chunk(upload.id, newId('asset'))
    await ctx.storage.put(key, Readable.from([Buffer.from(content)]))
    const chunk = { uploadId, position: upload.committed, size: content.length, key }
    const updated = await ctx.db.transaction((tx) => appendChunk(tx, chunk))
    if (updated) return { committed: BigInt(updated.committed) }
    await ctx.storage.delete(key)
    throw uploadNotFound()
  }
}
