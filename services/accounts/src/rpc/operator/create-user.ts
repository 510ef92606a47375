import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { createAccount } from '../../actions/accounts/create-account.ts'
import { getPolicyForRoleNames } from '../../actions/accounts/get-policy-for-role-names.ts'
import type { OperatorContext } from '../../context.ts'
import { getRolesByName } from '../../policy/role-names.ts'

export function createUser(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.createUser> {
  return async ({ login, password, email, roleNames }) => {
    const policy = await getPolicyForRoleNames(ctx, roleNames)
    const roles = getRolesByName(policy, roleNames)
    const account = await createAccount(ctx, { login, password, email, roleIds: roles.map(({ id }) => id) })
    const names = new Map([...policy.roles.values()].map(({ id, name }) => [id, name]))
    return { userId: account.id, login, roleNames: account.roleIds.map((id) => names.get(id) ?? id) }
  }
}
