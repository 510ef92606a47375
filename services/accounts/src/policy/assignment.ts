import { isOwner, ownerRoleId, type Policy, type Subject } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { onlyForOwners, roleNotFound } from '../errors.ts'
import { assertPermission } from './administration.ts'
import { getRolesByName } from './role-names.ts'

export function getAssignableRole(policy: Policy, caller: Subject, name: string): PolicyRole {
  assertPermission(policy, caller, 'role.assign')
  const [role] = getRolesByName(policy, [name])
  if (!role) throw roleNotFound(name)
  if (role.id === ownerRoleId && !isOwner(caller)) throw onlyForOwners()
  return role
}
