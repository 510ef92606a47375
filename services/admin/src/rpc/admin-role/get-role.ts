import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoleService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { listHolders } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { getRoleByName } from '../../policy/roles-by-name.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { toAdminRole, toRoleRights } from '../../view/admin-role.ts'

export function getRole(ctx: Context): MethodImpl<typeof AdminRoleService.method.getRole> {
  return async ({ name }, call) => {
    const policy = await getCurrentPolicy(ctx)
    const role = getRoleByName(policy, name)
    const rights = toRoleRights(policy, callerOf(call))
    const users = rights.viewerCanAssignRoles ? await listHolders(ctx.accounts, role.id) : []
    return { role: toAdminRole(policy, role), users, ...rights }
  }
}
