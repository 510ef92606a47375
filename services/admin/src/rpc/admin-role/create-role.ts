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
import { wantedTexts } from '../../domain/role-texts.ts'
import { nameLapsed } from '../../errors.ts'
import { assertRoleFits } from '../../policy/role-named.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { policyNow } from '../../actions/roles/policy-now.ts'
import { releaseRoleName, reserveRoleName } from '../../actions/roles/role-names.ts'
import { takeReserved } from '../../store/pending-role-names.ts'
import { insertRole } from '../../store/roles.ts'
import { toAdminRole } from '../../view/admin-role.ts'

export function createRole(ctx: Context): MethodImpl<typeof AdminRoleService.method.createRole> {
  return async (req, call) => {
    const caller = callerOf(call)
    const { name } = req
    const assertFits = (policy: Policy) => {
      assertMay(policy, caller, 'role.manage')
      assertRoleName(name)
      assertRoleFits(policy, name)
    }
    assertFits(await policyNow(ctx))
    const texts = wantedTexts(req)
    const id = newId('role')
    try {
      await reserveRoleName(ctx, id, name)
      const { answer } = await changePolicy(ctx, caller.userId, async (tx, policy) => {
        assertFits(policy)
        if (!(await takeReserved(tx, id))) throw nameLapsed()
        const role = create(PolicyRoleSchema, { ...texts, id, name, isSystem: false, position: nextPosition(policy) })
        await insertRole(tx, role)
        const change = { delta: { roles: [role] }, events: [roleCreated(role)] }
        return { change, answer: toAdminRole(policy, role) }
      })
      return { role: answer }
    } catch (error) {
      await releaseRoleName(ctx, id)
      throw error
    }
  }
}
