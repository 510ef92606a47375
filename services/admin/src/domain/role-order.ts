import { systemRoles, type Policy } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import { badRoleOrder, roleNotFound } from '../errors.ts'

const systemPositions: ReadonlySet<number> = new Set(systemRoles.map(({ position }) => position))

const nextCustomPosition = (position: number): number =>
  systemPositions.has(position + 1) ? nextCustomPosition(position + 1) : position + 1

export function rolesInOrder({ roles }: Policy): PolicyRole[] {
  return [...roles.values()].sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1))
}

const customRoles = (policy: Policy): PolicyRole[] => rolesInOrder(policy).filter(({ isSystem }) => !isSystem)

/** After the other custom roles. Positions of system roles are skipped. */
export function nextPosition(policy: Policy): number {
  return nextCustomPosition(Math.max(0, ...customRoles(policy).map(({ position }) => position)))
}

/** Throws unless `names` contains the name of each custom role exactly once. */
export function assignPositions(policy: Policy, names: readonly string[]): { role: PolicyRole; position: number }[] {
  const roles = new Map(rolesInOrder(policy).map((role) => [role.name, role]))
  const expected = customRoles(policy).length
  if (names.length !== expected)
    throw badRoleOrder(`it has ${names.length} names, but there are ${expected} custom roles`)
  if (new Set(names).size !== names.length) throw badRoleOrder('a name is repeated')
  let position = 0
  return names.map((name) => {
    const role = roles.get(name)
    if (!role) throw roleNotFound(name)
    if (role.isSystem) throw badRoleOrder(`"${name}" is a system role`)
    position = nextCustomPosition(position)
    return { role, position }
  })
}
