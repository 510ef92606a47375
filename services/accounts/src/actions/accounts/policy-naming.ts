import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { OperatorContext } from '../../context.ts'
import { namesRoles } from '../../policy/roles-named.ts'

/**
 * The policy that knows these roles: the one this process follows, or, when that lacks a name, admin's own, so that a role is
 * found as soon as CreateRole was answered. Callers who may not assign roles, and are refused anyway, get the followed one.
 */
export async function policyNaming(
  { policy }: Pick<OperatorContext, 'policy'>,
  roleNames: readonly string[],
  caller?: Subject,
): Promise<Policy> {
  const followed = policy.current()
  const mayAssign = caller === undefined || may(followed, caller, 'role.assign', serverScope)
  return mayAssign && !namesRoles(followed, roleNames) ? policy.fresh() : followed
}
