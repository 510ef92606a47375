import { ownerRoleId, type Policy } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { ownerHasNoDecisions, roleNameTaken, roleNotFound, systemRoleNotDeletable, tooManyRoles } from '../errors.ts'

/** Maximum number of custom roles: a request of ReorderRoles must name all of them. */
const maxCustomRoles = 1_000

/** Throws `not_found` for an unknown role. */
export function getRoleByName({ roles }: Policy, name: string): PolicyRole {
  for (const role of roles.values()) if (role.name === name) return role
  throw roleNotFound(name)
}

/** Returns a role. Throws if it is unknown or a system role, which cannot be deleted. */
export function getDeletableRole(policy: Policy, name: string): PolicyRole {
  const role = getRoleByName(policy, name)
  if (role.isSystem) throw systemRoleNotDeletable(name)
  return role
}

/** Returns a role. Throws if it is unknown or owner, for which no decisions can be stored. */
export function getDecidableRole(policy: Policy, name: string): PolicyRole {
  const role = getRoleByName(policy, name)
  if (role.id === ownerRoleId) throw ownerHasNoDecisions()
  return role
}

/** Throws unless a role of that name can be added. */
export function assertCanAddRole({ roles }: Policy, name: string): void {
  const all = [...roles.values()]
  if (all.some((role) => role.name === name)) throw roleNameTaken(name)
  if (all.filter(({ isSystem }) => !isSystem).length >= maxCustomRoles) throw tooManyRoles(maxCustomRoles)
}
