import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { newToken } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import { FairSemaphore } from '@parley/runtime'
import type { Context } from '../../context.ts'
import { tooManyPreviews } from '../../errors.ts'
import { storePreviewToken } from '../../store/preview-tokens.ts'
import { toLinkPreview } from '../../view/link-preview.ts'

/** Per user: pages may be slow, and all users share the capacity of uploads. */
const maxFetches = 4

export function fetchLinkPreview(ctx: Context): MethodImpl<typeof MessageService.method.fetchLinkPreview> {
  const semaphore = new FairSemaphore({
    atOnce: Infinity,
    atOncePerCaller: maxFetches,
    maxWaiting: 0,
    refusal: () => tooManyPreviews(maxFetches),
  })
  return async ({ url }, call) => {
    const { userId } = callerOf(call)
    const preview = await semaphore.run(() => ctx.previewLink(url, userId), userId)
    if (!preview) return {}
    const previewToken = newToken('linkPreview')
    await storePreviewToken(ctx.pool, { token: previewToken, userId, preview })
    return { preview: toLinkPreview(ctx.assets, preview), previewToken }
  }
}
