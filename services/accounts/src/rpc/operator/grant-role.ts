import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { assignRoleTo } from '../../actions/accounts/assign-role-to.ts'
import { getPolicyForRoleNames } from '../../actions/accounts/get-policy-for-role-names.ts'
import type { OperatorContext } from '../../context.ts'
import { loginNotFound } from '../../errors.ts'
import { getRolesByName } from '../../policy/role-names.ts'
import { findUserByLogin } from '../../store/users.ts'
import { operatorActorId } from '../../domain/operator-actor.ts'

export function grantRole(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.grantRole> {
  return async ({ login, roleName }) => {
    const policy = await getPolicyForRoleNames(ctx, [roleName])
    const [role] = getRolesByName(policy, [roleName])
    const user = await findUserByLogin(ctx.db, login)
    const roleIds = user && role && (await assignRoleTo(ctx, user.id, role.id, operatorActorId))
    if (!roleIds) throw loginNotFound(login)
    return { userId: user.id, roleNames: roleIds.map((id) => policy.roles.get(id)?.name ?? id) }
  }
}
