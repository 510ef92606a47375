import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { getRoleByName } from '../../policy/roles-by-name.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { findVisibleDecisions } from '../../actions/roles/visible-decisions.ts'
import { toScopedDecision } from '../../view/decision.ts'

export function listRolePermissionDecisions(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.listRolePermissionDecisions> {
  return async ({ roleName }, call) => {
    const policy = await getCurrentPolicy(ctx)
    const caller = callerOf(call)
    assertMay(policy, caller, 'role.manage')
    const { id } = getRoleByName(policy, roleName)
    const { decisions } = await findVisibleDecisions(ctx, policy, { holder: { kind: 'role', id }, caller })
    return { roleName, decisions: decisions.map(toScopedDecision) }
  }
}
