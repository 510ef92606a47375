import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { scopeFrom, toScope } from '../../domain/decision-scope.ts'
import { assertExists, assertMayDecideAt } from '../../policy/role-editing.ts'
import { resolveScope } from '../../actions/roles/resolve-scope.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { toTierRoles } from '../../view/tier.ts'

export function getRolePermissionTierMatrix(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.getRolePermissionTierMatrix> {
  return async (req, call) => {
    const scope = scopeFrom(req.scope)
    const caller = callerOf(call)
    const [policy, resolved] = await Promise.all([getCurrentPolicy(ctx), resolveScope(ctx, caller, scope)])
    assertMayDecideAt(policy, caller, resolved)
    assertExists(resolved)
    const groupId = resolved.kind === 'room' ? resolved.room?.groupId : undefined
    return { matrix: toTierRoles(policy, toScope(scope, groupId)) }
  }
}
