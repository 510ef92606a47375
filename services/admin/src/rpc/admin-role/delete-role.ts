import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminRoleService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { roleDeleted } from '../../domain/rbac-events.ts'
import { getDeletableRole } from '../../policy/roles-by-name.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { releaseMarkedNames } from '../../actions/roles/role-names.ts'
import { insertPending } from '../../store/pending-role-names.ts'
import { clearDecisionsOf } from '../../store/policy.ts'
import * as store from '../../store/roles.ts'

export function deleteRole(ctx: Context): MethodImpl<typeof AdminRoleService.method.deleteRole> {
  return async ({ name }, call) => {
    const caller = callerOf(call)
    const getRoleToDelete = (policy: Policy) => {
      assertMay(policy, caller, 'role.manage')
      return getDeletableRole(policy, name)
    }
    getRoleToDelete(await getCurrentPolicy(ctx))
    const { answer: roleId } = await changePolicy(ctx, caller.userId, async (tx, policy) => {
      const role = getRoleToDelete(policy)
      await clearDecisionsOf(tx, { subjectKind: 'role', subjectId: role.id })
      await store.deleteRole(tx, role.id)
      await insertPending(tx, { roleId: role.id, name, state: 'given_up', since: ctx.now() })
      return { change: { delta: { deletedRoleIds: [role.id] }, events: [roleDeleted(role)] }, answer: role.id }
    })
    await releaseMarkedNames(ctx, { roleId })
    return { deleted: true }
  }
}
