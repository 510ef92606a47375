import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { getInviteByToken } from '../../actions/invites/use-invite.ts'

export function getInvite(ctx: Context): MethodImpl<typeof SignInInternalService.method.getInvite> {
  return async ({ token }) => ({ email: (await getInviteByToken(ctx, token)).email })
}
