import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { getInviteOf } from '../../actions/invites/open-invite.ts'

export function getInvite(ctx: Context): MethodImpl<typeof SignInInternalService.method.getInvite> {
  return async ({ token }) => ({ email: (await getInviteOf(ctx, token)).email })
}
