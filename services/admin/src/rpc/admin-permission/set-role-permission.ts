import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { scopeFrom } from '../../domain/decision-scope.ts'
import { assertDecidable } from '../../policy/decidable.ts'
import { assertMayDecideAt } from '../../policy/role-editing.ts'
import { getDecidableRole } from '../../policy/roles-by-name.ts'
import { setDecision } from '../../actions/roles/set-decision.ts'
import { resolveScope } from '../../actions/roles/resolve-scope.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'

export function setRolePermission(ctx: Context): MethodImpl<typeof AdminPermissionService.method.setRolePermission> {
  return async ({ roleName, permission, decision, scope: wanted }, call) => {
    const caller = callerOf(call)
    const scope = scopeFrom(wanted)
    const resolved = await resolveScope(ctx, caller, scope)
    const findHolder = (policy: Policy) => {
      assertMayDecideAt(policy, caller, resolved)
      return { kind: 'role', id: getDecidableRole(policy, roleName).id, name: roleName } as const
    }
    const policy = await getCurrentPolicy(ctx)
    assertMayDecideAt(policy, caller, resolved)
    assertDecidable(permission, scope.kind)
    findHolder(policy)
    return { decision: await setDecision(ctx, caller.userId, findHolder, { permission, scope, resolved, decision }) }
  }
}
