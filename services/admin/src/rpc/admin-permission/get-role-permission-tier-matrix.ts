import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { scopeFrom, toScope } from '../../domain/decision-scope.ts'
import { assertExists, assertMayEditRoles } from '../../policy/role-editing.ts'
import { findPlace } from '../../actions/roles/find-place.ts'
import { policyNow } from '../../actions/roles/policy-now.ts'
import { toTierRoles } from '../../view/tier.ts'

export function getRolePermissionTierMatrix(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.getRolePermissionTierMatrix> {
  return async (req, call) => {
    const scope = scopeFrom(req.scope)
    const caller = callerOf(call)
    const [policy, place] = await Promise.all([policyNow(ctx), findPlace(ctx, caller, scope)])
    assertMayEditRoles(policy, caller, place)
    assertExists(place)
    const groupId = place.kind === 'room' ? place.room?.groupId : undefined
    return { matrix: toTierRoles(policy, toScope(scope, groupId)) }
  }
}
