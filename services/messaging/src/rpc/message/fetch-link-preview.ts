import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { newToken } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { keepPreviewToken } from '../../store/preview-tokens.ts'
import { toLinkPreview } from '../../view/link-preview.ts'

export function fetchLinkPreview(ctx: Context): MethodImpl<typeof MessageService.method.fetchLinkPreview> {
  return async ({ url }, call) => {
    const { userId } = callerOf(call)
    const preview = await ctx.previewLink(url, call.signal)
    if (!preview) return {}
    const previewToken = newToken('linkPreview')
    await keepPreviewToken(ctx.pool, { token: previewToken, userId, preview })
    return { preview: toLinkPreview(ctx.assets, preview), previewToken }
  }
}
