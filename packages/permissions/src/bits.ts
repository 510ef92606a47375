import { permissions, type Permission, type ScopeKind } from './permissions.ts'

/** A set of permissions: bit n is the n-th element of {@link permissions}. */
export type Bits = number

const bitByName: ReadonlyMap<string, Bits> = new Map(permissions.map(({ permission }, n) => [permission, 1 << n]))

/** The bit of one permission; 0 for an unknown name. */
export function bitOf(permission: string): Bits {
  return bitByName.get(permission) ?? 0
}

export function bitsOf(...names: Permission[]): Bits {
  return names.reduce((bits, name) => bits | bitOf(name), 0)
}

export const allBits: Bits = (1 << permissions.length) - 1

/** Names of a set of permissions, in the order of {@link permissions}. */
export function namesOf(bits: Bits): Permission[] {
  return permissions.flatMap(({ permission }, n) => (bits & (1 << n) ? [permission] : []))
}

/** Permissions about which a decision may be stored at each kind of scope. */
export const applicableAt: Readonly<Record<ScopeKind, Bits>> = {
  server: bitsApplicableAt('server'),
  group: bitsApplicableAt('group'),
  room: bitsApplicableAt('room'),
}

function bitsApplicableAt(kind: ScopeKind): Bits {
  return bitsOf(...permissions.filter(({ scopes }) => scopes.includes(kind)).map(({ permission }) => permission))
}
