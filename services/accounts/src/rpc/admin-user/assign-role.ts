import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { assignRoleTo } from '../../actions/accounts/assign-role-to.ts'
import { getPolicyForRoleNames } from '../../actions/accounts/get-policy-for-role-names.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { userNotFound } from '../../errors.ts'
import { getAssignableRole } from '../../policy/assignment.ts'

export function assignRole(ctx: Context): MethodImpl<typeof AdminUserService.method.assignRole> {
  return async ({ userId, roleName }, call) => {
    const caller = callerOf(call)
    const role = getAssignableRole(await getPolicyForRoleNames(ctx, [roleName], caller), caller, roleName)
    if (!(await assignRoleTo(ctx, userId, role.id, caller.userId))) throw userNotFound()
    return { member: await showMember(ctx, caller, userId) }
  }
}
