import { isOwner, type Policy, type Subject } from '@parley/permissions'
import { ownersAlone } from '../errors.ts'
import { assertHolds } from './administration.ts'
import { getAssignable } from './assignment.ts'

/**
 * Ids of the roles that the caller may give to an account they create or invite. `asOwner`: the configuration makes the
 * account an owner by its address. Throws `permission_denied`, `not_found`, `invalid_argument`.
 */
export function grantable(
  policy: Policy,
  caller: Subject,
  { roleNames, asOwner }: { roleNames: readonly string[]; asOwner: boolean },
): string[] {
  assertHolds(policy, caller, 'user.manage-accounts')
  if (asOwner && !isOwner(caller)) throw ownersAlone()
  return roleNames.map((name) => getAssignable(policy, caller, name).id)
}
