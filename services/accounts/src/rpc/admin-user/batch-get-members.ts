import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { showMembers } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { assertPermission } from '../../policy/administration.ts'
import { findUndeletedUsers } from '../../store/users.ts'
import { toRoles } from '../../view/role.ts'

export function batchGetMembers(ctx: Context): MethodImpl<typeof AdminUserService.method.batchGetMembers> {
  return async ({ userIds }, call) => {
    const caller = callerOf(call)
    const policy = ctx.policy.current()
    assertPermission(policy, caller, 'admin.view-users')
    const rows = inOrder(userIds, await findUndeletedUsers(ctx.db, userIds))
    return { members: await showMembers(ctx, caller, rows), roles: toRoles(policy) }
  }
}
