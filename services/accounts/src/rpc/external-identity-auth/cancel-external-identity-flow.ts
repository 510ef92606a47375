import type { MethodImpl } from '@connectrpc/connect'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Context } from '../../context.ts'
import { cancelPendingFlow } from '../../actions/identities/pending-flow.ts'

export function cancelExternalIdentityFlow(
  ctx: Context,
): MethodImpl<typeof ExternalIdentityAuthService.method.cancelExternalIdentityFlow> {
  return async ({ token }) => {
    await cancelPendingFlow(ctx, token)
    return { cancelled: true }
  }
}
