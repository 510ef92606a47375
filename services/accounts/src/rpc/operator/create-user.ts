import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { createAccount } from '../../actions/accounts/create-account.ts'
import { policyNaming } from '../../actions/accounts/policy-naming.ts'
import type { OperatorContext } from '../../context.ts'
import { rolesNamed } from '../../policy/roles-named.ts'

export function createUser(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.createUser> {
  return async ({ login, password, email, roleNames }) => {
    const policy = await policyNaming(ctx, roleNames)
    const roles = rolesNamed(policy, roleNames)
    const account = await createAccount(ctx, { login, password, email, roleIds: roles.map(({ id }) => id) })
    const names = new Map([...policy.roles.values()].map(({ id, name }) => [id, name]))
    return { userId: account.id, login, roleNames: account.roleIds.map((id) => names.get(id) ?? id) }
  }
}
