import { isOwner, type Policy, type Subject } from '@parley/permissions'
import { onlyForOwners } from '../errors.ts'
import { assertPermission } from './administration.ts'
import { getAssignableRole } from './assignment.ts'

/**
 * `asOwner`: the e-mail address of the new account makes it an owner. Throws `permission_denied` if the caller may not
 * create such an account, `not_found` for an unknown role, `invalid_argument` for everyone.
 */
export function getGrantableRoleIds(
  policy: Policy,
  caller: Subject,
  { roleNames, asOwner }: { roleNames: readonly string[]; asOwner: boolean },
): string[] {
  assertPermission(policy, caller, 'user.manage-accounts')
  if (asOwner && !isOwner(caller)) throw onlyForOwners()
  return roleNames.map((name) => getAssignableRole(policy, caller, name).id)
}
