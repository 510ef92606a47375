import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { OperatorContext } from '../../context.ts'
import { knowsRoles } from '../../policy/role-names.ts'

/**
 * Returns the local copy. If that lacks a name, and the caller may assign roles, returns admin's policy, so that a role
 * is found as soon as CreateRole has returned.
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
