import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getPolicyForRoleNames } from '../../actions/accounts/get-policy-for-role-names.ts'
import { revokeRole as revoke } from '../../actions/accounts/revoke-role.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { getAssignableRole } from '../../policy/assignment.ts'

export function revokeRole(ctx: Context): MethodImpl<typeof AdminUserService.method.revokeRole> {
  return async ({ userId, roleName }, call) => {
    const caller = callerOf(call)
    const policy = await getPolicyForRoleNames(ctx, [roleName], caller)
    await revoke(ctx, userId, getAssignableRole(policy, caller, roleName), caller)
    return { member: await showMember(ctx, caller, userId) }
  }
}
