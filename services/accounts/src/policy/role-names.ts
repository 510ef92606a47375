import { everyoneRoleId, type Policy } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { everyoneIsImplicit, roleNotFound } from '../errors.ts'

const rolesByName = (policy: Policy): ReadonlyMap<string, PolicyRole> =>
  new Map([...policy.roles.values()].map((role) => [role.name, role]))

export function knowsRoles(policy: Policy, names: readonly string[]): boolean {
  const roles = rolesByName(policy)
  return names.every((name) => roles.has(name))
}

export function getRolesByName(policy: Policy, names: readonly string[]): PolicyRole[] {
  const roles = rolesByName(policy)
  return names.map((name) => {
    const role = roles.get(name)
    if (!role) throw roleNotFound(name)
    if (role.id === everyoneRoleId) throw everyoneIsImplicit()
    return role
  })
}

/** In lower case; no login may equal one of them. */
export const roleNames = (policy: Policy): ReadonlySet<string> =>
  new Set([...policy.roles.values()].map(({ name }) => name.toLowerCase()))
