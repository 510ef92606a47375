import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminRoleService } from '@parley/contracts/admin'
import { PolicyRoleSchema } from '@parley/contracts/internal'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { rolesReordered } from '../../domain/rbac-events.ts'
import { rolesInOrder, assignPositions } from '../../domain/role-order.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { updateRole } from '../../store/roles.ts'
import { toAdminRole } from '../../view/admin-role.ts'

export function reorderRoles(ctx: Context): MethodImpl<typeof AdminRoleService.method.reorderRoles> {
  return async ({ roleNames }, call) => {
    const caller = callerOf(call)
    const assignNewPositions = (policy: Policy) => {
      assertMay(policy, caller, 'role.manage')
      return assignPositions(policy, roleNames)
    }
    assignNewPositions(await getCurrentPolicy(ctx))
    await changePolicy(ctx, caller.userId, async (tx, policy) => {
      const moved = assignNewPositions(policy).filter(({ role, position }) => role.position !== position)
      if (moved.length === 0) return { change: undefined, answer: undefined }
      for (const { role, position } of moved) await updateRole(tx, role.id, { position })
      const roles = moved.map(({ role, position }) => create(PolicyRoleSchema, { ...role, position }))
      return { change: { delta: { roles }, events: [rolesReordered(roleNames)] }, answer: undefined }
    })
    const policy = await getCurrentPolicy(ctx)
    return { roles: rolesInOrder(policy).map((role) => toAdminRole(policy, role)) }
  }
}
