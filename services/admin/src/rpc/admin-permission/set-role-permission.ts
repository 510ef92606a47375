import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { scopeFrom } from '../../domain/decision-scope.ts'
import { assertDecidable } from '../../policy/decidable.ts'
import { assertMayEditRoles } from '../../policy/role-editing.ts'
import { decidableRoleNamed } from '../../policy/role-named.ts'
import { decide } from '../../actions/roles/decide.ts'
import { findPlace } from '../../actions/roles/find-place.ts'
import { policyNow } from '../../actions/roles/policy-now.ts'

export function setRolePermission(ctx: Context): MethodImpl<typeof AdminPermissionService.method.setRolePermission> {
  return async ({ roleName, permission, decision, scope: wanted }, call) => {
    const caller = callerOf(call)
    const scope = scopeFrom(wanted)
    const place = await findPlace(ctx, caller, scope)
    const find = (policy: Policy) => {
      assertMayEditRoles(policy, caller, place)
      return { kind: 'role', id: decidableRoleNamed(policy, roleName).id, name: roleName } as const
    }
    const policy = await policyNow(ctx)
    assertMayEditRoles(policy, caller, place)
    assertDecidable(permission, scope.kind)
    find(policy)
    return { decision: await decide(ctx, caller.userId, find, { permission, scope, place, decision }) }
  }
}
