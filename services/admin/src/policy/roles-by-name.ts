import { ownerRoleId, type Policy } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { ownerHasNoDecisions, roleNameTaken, roleNotFound, systemRoleNotDeletable, tooManyRoles } from '../errors.ts'

/** Limited because a request of ReorderRoles must name all custom roles. */
const maxCustomRoles = 1_000

export function getRoleByName({ roles }: Policy, name: string): PolicyRole {
  for (const role of roles.values()) if (role.name === name) return role
  throw roleNotFound(name)
}

export function getDeletableRole(policy: Policy, name: string): PolicyRole {
  const role = getRoleByName(policy, name)
  if (role.isSystem) throw systemRoleNotDeletable(name)
  return role
}

export function getDecidableRole(policy: Policy, name: string): PolicyRole {
  const role = getRoleByName(policy, name)
  if (role.id === ownerRoleId) throw ownerHasNoDecisions()
  return role
}

export function assertCanAddRole({ roles }: Policy, name: string): void {
  const all = [...roles.values()]
  if (all.some((role) => role.name === name)) throw roleNameTaken(name)
  if (all.filter(({ isSystem }) => !isSystem).length >= maxCustomRoles) throw tooManyRoles(maxCustomRoles)
}
