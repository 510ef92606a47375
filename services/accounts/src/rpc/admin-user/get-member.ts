import type { MethodImpl } from '@connectrpc/connect'
import { may, permissions, serverScope } from '@parley/permissions'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getTarget } from '../../actions/accounts/get-target.ts'
import { showMembers } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { assertPermission } from '../../policy/administration.ts'
import { toAdminRoles } from '../../view/role.ts'

export function getMember(ctx: Context): MethodImpl<typeof AdminUserService.method.getMember> {
  return async ({ target }, call) => {
    const caller = callerOf(call)
    const policy = ctx.policy.current()
    assertPermission(policy, caller, 'admin.view-users')
    const [member] = await showMembers(ctx, caller, [await getTarget(ctx, target)])
    return {
      ...(member && { member }),
      roles: toAdminRoles(policy),
      availablePermissions: permissions.map(({ permission }) => permission),
      viewerCanAssignRoles: may(policy, caller, 'role.assign', serverScope),
      viewerCanManageRoles: may(policy, caller, 'role.manage', serverScope),
      viewerCanManageUserPermissions: may(policy, caller, 'user.manage-permissions', serverScope),
    }
  }
}
