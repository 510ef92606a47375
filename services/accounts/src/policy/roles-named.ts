import { everyoneRoleId, type Policy } from '@parley/auth'
import type { PolicyRole } from '@parley/contracts/internal'
import { everyoneIsImplicit, roleNotFound } from '../errors.ts'

/** The assignable roles of these names. Throws `not_found`, or `invalid_argument` for everyone. */
export function rolesNamed(policy: Policy, names: readonly string[]): PolicyRole[] {
  const roles = new Map([...policy.roles.values()].map((role) => [role.name, role]))
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
