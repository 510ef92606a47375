import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { OperatorContext } from '../../context.ts'
import { namesRoles } from '../../policy/roles-named.ts'

/**
 * The policy in which to look up these role names: the local copy, or, if that lacks a name, the one of admin, so that
 * a role is found as soon as CreateRole has been answered. Callers who may not assign roles, and are refused anyway,
 * get the local copy.
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
