import { everyoneRoleId, type Policy } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { everyoneIsImplicit, roleNotFound } from '../errors.ts'

const byName = (policy: Policy): ReadonlyMap<string, PolicyRole> =>
  new Map([...policy.roles.values()].map((role) => [role.name, role]))

/** Whether each of these names is the name of a role. */
export function namesRoles(policy: Policy, names: readonly string[]): boolean {
  const roles = byName(policy)
  return names.every((name) => roles.has(name))
}

/** The assignable roles of these names. Throws `not_found`, or `invalid_argument` for everyone. */
export function rolesNamed(policy: Policy, names: readonly string[]): PolicyRole[] {
  const roles = byName(policy)
  return names.map((name) => {
    const role = roles.get(name)
    if (!role) throw roleNotFound(name)
    if (role.id === everyoneRoleId) throw everyoneIsImplicit()
    return role
  })
}

/** Names that no login may have, in lower case. */
export const roleNames = (policy: Policy): ReadonlySet<string> =>
  new Set([...policy.roles.values()].map(({ name }) => name.toLowerCase()))
