import { Code, ConnectError, type MethodImpl } from '@connectrpc/connect'
import type { AssetUploadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assetNotFound, uploadIncomplete, uploadNotFound } from '../../errors.ts'
import { deleteChunksOf } from '../../actions/files/delete-chunks.ts'
import { getOwnUpload } from '../../actions/files/own-upload.ts'
import { assembleFile } from '../../actions/files/assemble-file.ts'
import type { Completed } from '../../actions/files/upload-completions.ts'
import { reportLeftForJob } from '../../metrics.ts'
import { assertMayAttach } from '../../policy/attaching.ts'
import { findAsset } from '../../store/assets.ts'
import { toAsset } from '../../view/asset.ts'
import { toUpload } from '../../view/upload.ts'

export function completeUpload(ctx: Context): MethodImpl<typeof AssetUploadService.method.completeUpload> {
  return async ({ uploadId }, call) => {
    const caller = callerOf(call)
    const upload = await getOwnUpload(ctx, uploadId, caller.userId)
    assertMayAttach(ctx.policy(), caller, await ctx.rooms.getAccess(caller, upload.roomId))
    const toResponse = (done: Completed) => {
      const options = { userId: caller.userId, now: ctx.now(), from: ctx.assets }
      return { upload: toUpload(done.upload), asset: toAsset(done.asset, options) }
    }
    const findResultOfOtherCall = async () => {
      const current = await getOwnUpload(ctx, uploadId, caller.userId)
      return current.assetId === null
        ? undefined
        : toResponse({ upload: current, asset: await getFile(current.assetId) })
    }
    const getFile = async (id: string) => {
      const asset = await findAsset(ctx.db, id, caller.userId)
      if (!asset) throw assetNotFound()
      return asset
    }
    if (upload.assetId !== null) return toResponse({ upload, asset: await getFile(upload.assetId) })
    if (upload.committed < upload.size) throw uploadIncomplete(upload.committed, upload.size)

    const done = await assembleFile(ctx, upload).catch(async (error: unknown) => {
      // A chunk may be gone because another call has completed the upload.
      if (ConnectError.from(error).code !== Code.NotFound) throw error
      return undefined
    })
    if (!done) {
      const other = await findResultOfOtherCall()
      if (!other) throw uploadNotFound()
      return other
    }
    await deleteChunksOf(ctx, upload.id).catch(reportLeftForJob)
    return toResponse(done)
  }
}
