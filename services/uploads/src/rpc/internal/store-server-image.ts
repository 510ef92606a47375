import { buffer } from 'node:stream/consumers'
import { Code, ConnectError, type MethodImpl } from '@connectrpc/connect'
import type { UploadsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { unknownBlob } from '../../errors.ts'
import { storeImage, toStoredImageKind } from '../../engines/images/index.ts'
import { reportLeftForJob } from '../../metrics.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { findBlob, takeBlob } from '../../store/blobs.ts'

export function storeServerImage(ctx: Context): MethodImpl<typeof UploadsInternalService.method.storeServerImage> {
  return async ({ blobId, callerId, kind, ownerId }) => {
    const wanted = { kind: toStoredImageKind(kind), ownerId }
    const blob = await findBlob(ctx.db, blobId, callerId)
    if (!blob) throw unknownBlob()
    const bytesKey = storageKeys.blob(blob.id)
    const read = async () => {
      const stored = await ctx.storage.get(bytesKey)
      if (!stored) throw unknownBlob()
      return buffer(stored.content)
    }
    const deleteBytes = () => ctx.storage.delete(bytesKey).catch(reportLeftForJob)
    try {
      const key = await storeImage(ctx, wanted, read, async (tx) => {
        if (!(await takeBlob(tx, blob.id))) throw unknownBlob()
      })
      await deleteBytes()
      return { key }
    } catch (error) {
      // A retry with the same invalid image would fail again, so its blob is deleted.
      if (ConnectError.from(error).code === Code.InvalidArgument && (await takeBlob(ctx.db, blob.id)))
        await deleteBytes()
      throw error
    }
  }
}
