import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { getRoleByName } from '../../policy/roles-by-name.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { listColumns } from '../../actions/roles/columns.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { toMatrix } from '../../view/matrix.ts'

export function getRolePermissionMatrix(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.getRolePermissionMatrix> {
  return async ({ roleName }, call) => {
    const policy = await getCurrentPolicy(ctx)
    const caller = callerOf(call)
    assertMay(policy, caller, 'role.manage')
    const holder = { kind: 'role', id: getRoleByName(policy, roleName).id } as const
    return { matrix: { roleName, ...toMatrix(policy, holder, await listColumns(ctx, policy, { holder, caller })) } }
  }
}
