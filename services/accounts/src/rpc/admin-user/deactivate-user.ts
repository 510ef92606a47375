import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { deactivate } from '../../actions/accounts/deactivate.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { assertMayManage, assertOwnerIfTargetIsOwner } from '../../policy/administration.ts'

export function deactivateUser(ctx: Context): MethodImpl<typeof AdminUserService.method.deactivateUser> {
  return async ({ userId }, call) => {
    const caller = callerOf(call)
    assertMayManage(ctx.policy.current(), caller, userId)
    await deactivate(ctx, userId, {
      actorId: caller.userId,
      assertAllowed: (user) => assertOwnerIfTargetIsOwner(caller, user),
    })
    return { member: await showMember(ctx, caller, userId) }
  }
}
