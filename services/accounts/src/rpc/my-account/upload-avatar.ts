import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { ServerImageKind } from '@parley/contracts/internal'
import { blobOf, callerOf } from '@parley/rpc'
import { setAvatar } from '../../actions/accounts/set-avatar.ts'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { accountGone, imageMissing } from '../../errors.ts'

/** Long, because `uploads` decodes and resizes the image. */
const storeTimeoutMs = 20_000

export function uploadAvatar(ctx: Context): MethodImpl<typeof MyAccountService.method.uploadAvatar> {
  return async (_, call) => {
    const { userId } = callerOf(call)
    const blobId = blobOf(call)
    if (blobId === undefined) throw imageMissing()
    const image = { blobId, kind: ServerImageKind.AVATAR, ownerId: userId, callerId: userId }
    const { key } = await ctx.uploads.storeServerImage(image, { timeoutMs: storeTimeoutMs, signal: call.signal })
    const changed = await setAvatar(ctx, userId, key)
    if (!changed) throw accountGone()
    return { user: await showUser(ctx, changed.after) }
  }
}
