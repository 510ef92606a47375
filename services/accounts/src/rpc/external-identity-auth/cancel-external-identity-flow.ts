import type { MethodImpl } from '@connectrpc/connect'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Context } from '../../context.ts'
import { cancelPending } from '../../actions/identities/pending.ts'

export function cancelExternalIdentityFlow(
  ctx: Context,
): MethodImpl<typeof ExternalIdentityAuthService.method.cancelExternalIdentityFlow> {
  return async ({ token }) => {
    await cancelPending(ctx, token)
    return { cancelled: true }
  }
}
