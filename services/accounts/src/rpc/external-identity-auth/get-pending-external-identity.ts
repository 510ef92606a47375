import type { MethodImpl } from '@connectrpc/connect'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Context } from '../../context.ts'
import { getPendingFlow } from '../../actions/identities/pending-flow.ts'
import { toPendingIdentity } from '../../view/external-identity.ts'

export function getPendingExternalIdentity(
  ctx: Context,
): MethodImpl<typeof ExternalIdentityAuthService.method.getPendingExternalIdentity> {
  return async ({ token }) => ({ pending: toPendingIdentity(await getPendingFlow(ctx, token)) })
}
