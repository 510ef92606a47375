import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminRoleService } from '@parley/contracts/admin'
import { PolicyRoleSchema } from '@parley/contracts/internal'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { roleFieldChanged } from '../../domain/rbac-events.ts'
import { findChangedFields, parseRoleProperties } from '../../domain/role-properties.ts'
import { getRoleByName } from '../../policy/roles-by-name.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import * as store from '../../store/roles.ts'
import { toAdminRole } from '../../view/admin-role.ts'

export function updateRole(ctx: Context): MethodImpl<typeof AdminRoleService.method.updateRole> {
  return async (req, call) => {
    const caller = callerOf(call)
    const getRoleToUpdate = (policy: Policy) => {
      assertMay(policy, caller, 'role.manage')
      return getRoleByName(policy, req.name)
    }
    getRoleToUpdate(await getCurrentPolicy(ctx))
    const wanted = parseRoleProperties(req)
    const { answer } = await changePolicy(ctx, caller.userId, async (tx, policy) => {
      const before = getRoleToUpdate(policy)
      const changed = findChangedFields(before, wanted)
      const role = create(PolicyRoleSchema, { ...before, ...wanted })
      const answer = toAdminRole(policy, role)
      if (changed.length === 0) return { change: undefined, answer }
      await store.updateRole(tx, role.id, wanted)
      const events = changed.map((field) => roleFieldChanged(role, field))
      return { change: { delta: { roles: [role] }, events }, answer }
    })
    return { role: answer }
  }
}
