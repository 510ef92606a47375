import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoleService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { rolesInOrder } from '../../domain/role-order.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { toAdminRole, toRoleRights } from '../../view/admin-role.ts'

export function listRoles(ctx: Context): MethodImpl<typeof AdminRoleService.method.listRoles> {
  return async (_req, call) => {
    const policy = await getCurrentPolicy(ctx)
    return {
      roles: rolesInOrder(policy).map((role) => toAdminRole(policy, role)),
      ...toRoleRights(policy, callerOf(call)),
    }
  }
}
