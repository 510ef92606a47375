import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { revokeInvite as revoke } from '../../actions/invites/make-invite.ts'
import { assertPermission } from '../../policy/administration.ts'

export function revokeInvite(ctx: Context): MethodImpl<typeof AdminUserService.method.revokeInvite> {
  return async ({ inviteId }, call) => {
    const caller = callerOf(call)
    assertPermission(ctx.policy.current(), caller, 'user.manage-accounts')
    return { revoked: await revoke(ctx, caller.userId, inviteId) }
  }
}
