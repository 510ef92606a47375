import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoleService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { listHolders } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { roleNamed } from '../../policy/role-named.ts'
import { policyNow } from '../../actions/roles/policy-now.ts'
import { toAdminRole, toRoleRights } from '../../view/admin-role.ts'

export function getRole(ctx: Context): MethodImpl<typeof AdminRoleService.method.getRole> {
  return async ({ name }, call) => {
    const policy = await policyNow(ctx)
    const role = roleNamed(policy, name)
    const rights = toRoleRights(policy, callerOf(call))
    const users = rights.viewerCanAssignRoles ? await listHolders(ctx.accounts, role.id) : []
    return { role: toAdminRole(policy, role), users, ...rights }
  }
}
