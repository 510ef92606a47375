import type { MethodImpl } from '@connectrpc/connect'
import type { AssetUploadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { uploadNotOpen } from '../../errors.ts'
import { deleteChunksOf } from '../../actions/files/delete-chunks.ts'
import { getOwnUpload } from '../../actions/files/own-upload.ts'
import { reportLeftForJob } from '../../metrics.ts'
import { markEnded } from '../../store/uploads.ts'
import { toUpload } from '../../view/upload.ts'

export function cancelUpload(ctx: Context): MethodImpl<typeof AssetUploadService.method.cancelUpload> {
  return async ({ uploadId }, call) => {
    const { userId } = callerOf(call)
    const upload = await getOwnUpload(ctx, uploadId, userId)
    const ended = upload.state === 'open' ? await markEnded(ctx.db, upload.id) : undefined
    if (!ended) {
      // The upload is completed, or another call has just cancelled it; then `getOwnUpload` throws.
      await getOwnUpload(ctx, uploadId, userId)
      throw uploadNotOpen()
    }
    await deleteChunksOf(ctx, upload.id).catch(reportLeftForJob)
    return { upload: toUpload(ended) }
  }
}
