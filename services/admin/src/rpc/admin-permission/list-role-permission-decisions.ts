import type { MethodImpl } from '@connectrpc/connect'
import { storedDecisions } from '@parley/auth'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { roleNamed } from '../../policy/role-named.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { policyNow } from '../../roles/policy-now.ts'
import { toScopedDecision } from '../../view/decision.ts'

export function listRolePermissionDecisions(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.listRolePermissionDecisions> {
  return async ({ roleName }, call) => {
    const policy = await policyNow(ctx)
    assertMay(policy, callerOf(call), 'role.manage')
    const { id } = roleNamed(policy, roleName)
    return { roleName, decisions: storedDecisions(policy, { kind: 'role', id }).map(toScopedDecision) }
  }
}
