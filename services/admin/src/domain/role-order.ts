import { systemRoles, type Policy } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { badRoleOrder, roleNotFound } from '../errors.ts'

const taken: ReadonlySet<number> = new Set(systemRoles.map(({ position }) => position))

const after = (position: number): number => (taken.has(position + 1) ? after(position + 1) : position + 1)

/** All roles, lowest position first. */
export function inOrder({ roles }: Policy): PolicyRole[] {
  return [...roles.values()].sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1))
}

const customRoles = (policy: Policy): PolicyRole[] => inOrder(policy).filter(({ isSystem }) => !isSystem)

/** Position of a new role: after the other custom ones. Positions of system roles are skipped. */
export function nextPosition(policy: Policy): number {
  return after(Math.max(0, ...customRoles(policy).map(({ position }) => position)))
}

/** The custom roles with their positions in the given order of names. Throws unless it contains each exactly once. */
export function reordered(policy: Policy, names: readonly string[]): { role: PolicyRole; position: number }[] {
  const roles = new Map(inOrder(policy).map((role) => [role.name, role]))
  const expected = customRoles(policy).length
  if (names.length !== expected) throw badRoleOrder(`it has ${names.length} names, there are ${expected}`)
  if (new Set(names).size !== names.length) throw badRoleOrder('a name is repeated')
  let position = 0
  return names.map((name) => {
    const role = roles.get(name)
    if (!role) throw roleNotFound(name)
    if (role.isSystem) throw badRoleOrder(`"${name}" is a system role`)
    position = after(position)
    return { role, position }
  })
}
