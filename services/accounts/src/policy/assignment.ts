import { isOwner, ownerRoleId, type Policy, type Subject } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { ownersAlone, roleNotFound } from '../errors.ts'
import { assertHolds } from './administration.ts'
import { rolesNamed } from './roles-named.ts'

/**
 * The role of this name, if the caller may grant and revoke it. Throws `permission_denied`, `not_found`,
 * `invalid_argument`.
 */
export function getAssignable(policy: Policy, caller: Subject, name: string): PolicyRole {
  assertHolds(policy, caller, 'role.assign')
  const [role] = rolesNamed(policy, [name])
  if (!role) throw roleNotFound(name)
  if (role.id === ownerRoleId && !isOwner(caller)) throw ownersAlone()
  return role
}
