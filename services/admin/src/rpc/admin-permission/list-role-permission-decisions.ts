import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { roleNamed } from '../../policy/role-named.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { policyNow } from '../../actions/roles/policy-now.ts'
import { seenDecisions } from '../../actions/roles/seen-decisions.ts'
import { toScopedDecision } from '../../view/decision.ts'

export function listRolePermissionDecisions(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.listRolePermissionDecisions> {
  return async ({ roleName }, call) => {
    const policy = await policyNow(ctx)
    const caller = callerOf(call)
    assertMay(policy, caller, 'role.manage')
    const { id } = roleNamed(policy, roleName)
    const { decisions } = await seenDecisions(ctx, policy, { holder: { kind: 'role', id }, caller })
    return { roleName, decisions: decisions.map(toScopedDecision) }
  }
}
