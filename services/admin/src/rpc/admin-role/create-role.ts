import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminRoleService } from '@parley/contracts/admin'
import { PolicyRoleSchema } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { roleCreated } from '../../domain/rbac-events.ts'
import { assertRoleName } from '../../domain/role-name.ts'
import { nextPosition } from '../../domain/role-order.ts'
import { parseRoleProperties } from '../../domain/role-properties.ts'
import { reservationExpired } from '../../errors.ts'
import { assertCanAddRole } from '../../policy/roles-by-name.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { giveUpRoleName, reserveRoleName } from '../../actions/roles/role-names.ts'
import { completeReservation } from '../../store/pending-role-names.ts'
import { insertRole } from '../../store/roles.ts'
import { toAdminRole } from '../../view/admin-role.ts'

export function createRole(ctx: Context): MethodImpl<typeof AdminRoleService.method.createRole> {
  return async (req, call) => {
    const caller = callerOf(call)
    const { name } = req
    const assertCanCreate = (policy: Policy) => {
      assertMay(policy, caller, 'role.manage')
      assertRoleName(name)
      assertCanAddRole(policy, name)
    }
    assertCanCreate(await getCurrentPolicy(ctx))
    const properties = parseRoleProperties(req)
    const id = newId('role')
    try {
      await reserveRoleName(ctx, id, name)
      const { answer } = await changePolicy(ctx, caller.userId, async (tx, policy) => {
        assertCanCreate(policy)
        if (!(await completeReservation(tx, id))) throw reservationExpired()
        const role = create(PolicyRoleSchema, {
          ...properties,
          id,
          name,
          isSystem: false,
          position: nextPosition(policy),
        })
        await insertRole(tx, role)
        const change = { delta: { roles: [role] }, events: [roleCreated(role)] }
        return { change, answer: toAdminRole(policy, role) }
      })
      return { role: answer }
    } catch (error) {
      await giveUpRoleName(ctx, id)
      throw error
    }
  }
}
