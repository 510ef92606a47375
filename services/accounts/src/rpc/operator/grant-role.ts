import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { giveRole } from '../../actions/accounts/give-role.ts'
import { policyNaming } from '../../actions/accounts/policy-naming.ts'
import type { OperatorContext } from '../../context.ts'
import { userNotFound } from '../../errors.ts'
import { rolesNamed } from '../../policy/roles-named.ts'
import { findUserByLogin } from '../../store/users.ts'

export function grantRole(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.grantRole> {
  return async ({ login, roleName }) => {
    const policy = await policyNaming(ctx, [roleName])
    const [role] = rolesNamed(policy, [roleName])
    const user = await findUserByLogin(ctx.db, login)
    const held = user && role && (await giveRole(ctx, user.id, role.id, ''))
    if (!held) throw userNotFound(login)
    return { userId: user.id, roleNames: held.map((id) => policy.roles.get(id)?.name ?? id) }
  }
}
