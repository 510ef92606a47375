import { permissions, type Permission, type ScopeKind } from './permissions.ts'

/** A set of permissions: bit n is the n-th permission in metadata order. */
export type Bits = number

const bitByName: ReadonlyMap<string, Bits> = new Map(permissions.map(({ permission }, n) => [permission, 1 << n]))

/** The bit of one permission; 0 for a name the catalogue does not know. */
export function bitOf(permission: string): Bits {
  return bitByName.get(permission) ?? 0
}

export function bitsOf(...names: Permission[]): Bits {
  return names.reduce((bits, name) => bits | bitOf(name), 0)
}

export const allBits: Bits = (1 << permissions.length) - 1

/** Permissions about which a decision may be stored at each kind of scope. */
export const storableAt: Readonly<Record<ScopeKind, Bits>> = {
  server: bitsStorableAt('server'),
  group: bitsStorableAt('group'),
  room: bitsStorableAt('room'),
}

function bitsStorableAt(kind: ScopeKind): Bits {
  return bitsOf(...permissions.filter(({ scopes }) => scopes.includes(kind)).map(({ permission }) => permission))
}
