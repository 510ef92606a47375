import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { OperatorContext } from '../../context.ts'
import { knowsRoles } from '../../policy/role-names.ts'

/**
 * Returns the local copy of the policy. If the copy lacks one of the names, and the caller may assign roles or is an
 * operator (`caller` undefined), the policy is loaded again: a role is found as soon as CreateRole has returned.
 */
export async function getPolicyForRoleNames(
  { policy }: Pick<OperatorContext, 'policy'>,
  roleNames: readonly string[],
  caller?: Subject,
): Promise<Policy> {
  const local = policy.current()
  const mayAssign = caller === undefined || may(local, caller, 'role.assign', serverScope)
  return mayAssign && !knowsRoles(local, roleNames) ? policy.loadFresh() : local
}
