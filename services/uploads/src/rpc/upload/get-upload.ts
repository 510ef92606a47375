import type { MethodImpl } from '@connectrpc/connect'
import type { AssetUploadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { getOwnUpload } from '../../actions/files/own-upload.ts'
import { toUpload } from '../../view/upload.ts'

export function getUpload(ctx: Context): MethodImpl<typeof AssetUploadService.method.getUpload> {
  return async ({ uploadId }, call) => ({
    upload: toUpload(await getOwnUpload(ctx, uploadId, callerOf(call).userId)),
  })
}
