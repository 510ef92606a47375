import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { uploadIncomplete, uploadNotFound } from '../../errors.ts'
import { deleteChunksOf } from '../../actions/files/delete-chunks.ts'
import { assembleFile } from '../../actions/files/assemble-file.ts'
import { reportLeftForJob } from '../../metrics.ts'
import { findAnyAsset, recordImportCompleted } from '../../store/imported-files.ts'
import { findUpload } from '../../store/uploads.ts'
import { toAttachedAsset } from '../../view/attached-asset.ts'

export function completeImportedFile(
  ctx: Context,
): MethodImpl<typeof UploadsTransferService.method.completeImportedFile> {
  return async ({ uploadId }) => {
    const upload = await findUpload(ctx.db, uploadId, ctx.now())
    if (!upload) throw uploadNotFound()
    const existing = upload.assetId === null ? undefined : await findAnyAsset(ctx.db, upload.assetId)
    if (!existing && upload.committed < upload.size) throw uploadIncomplete(upload.committed, upload.size)
    const asset = existing ?? (await assembleFile(ctx, upload))?.asset
    if (!asset) throw uploadNotFound()
    await deleteChunksOf(ctx, upload.id).catch(reportLeftForJob)
    await recordImportCompleted(ctx.db, upload.id, asset.id)
    return { asset: toAttachedAsset(asset, ctx.fileLimits) }
  }
}
