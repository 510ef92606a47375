import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { changeNames } from '../../actions/accounts/change-names.ts'
import { showMembers } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { assertMayManage, assertOwnerIfTargetIsOwner } from '../../policy/administration.ts'

export function updateUser(ctx: Context): MethodImpl<typeof AdminUserService.method.updateUser> {
  return async ({ userId, ...names }, call) => {
    const caller = callerOf(call)
    assertMayManage(ctx.policy.current(), caller, userId)
    const row = await changeNames(ctx, userId, names, caller.userId, (user) => assertOwnerIfTargetIsOwner(caller, user))
    const [member] = await showMembers(ctx, caller, [row])
    return { ...(member && { member }), ...(member?.user && { user: member.user }) }
  }
}
