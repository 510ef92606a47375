import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import { findUsesOfFiles } from '../../actions/room-log/file-uses.ts'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'

const maxPerCall = 500

export function findFileUses(ctx: Context): MethodImpl<typeof MessagingInternalService.method.findFileUses> {
  return async ({ assetIds, previewImageKeys }) => {
    if (assetIds.length > maxPerCall) throw tooManyAtOnce('files', maxPerCall)
    if (previewImageKeys.length > maxPerCall) throw tooManyAtOnce('images', maxPerCall)
    return await findUsesOfFiles(ctx, { assetIds, previewImageKeys })
  }
}
