import type { Bits } from './bits.ts'
import type { ScopeDecisions } from './decision-index.ts'
import { permissions, type Permission, type ScopeKind } from './permissions.ts'
import type { Policy } from './policy.ts'
import type { Scope } from './resolve.ts'

/** A scope that applies where a permission is checked, and the decisions stored for it. */
export type Level = { readonly kind: ScopeKind; readonly id: string; readonly decisions: ScopeDecisions | undefined }

/** The scopes whose decisions count at a scope, the nearest first. */
export function levelsAt({ decisions }: Policy, scope: Scope): Level[] {
  const server: Level = { kind: 'server', id: '', decisions: decisions.server }
  const group = (id: string): Level => ({ kind: 'group', id, decisions: decisions.groups.get(id) })
  const room = (id: string): Level => ({ kind: 'room', id, decisions: decisions.rooms.get(id) })
  switch (scope.kind) {
    case 'server':
      return [server]
    case 'group':
      return [group(scope.groupId), server]
    case 'room':
      return [room(scope.roomId), group(scope.groupId), server]
    case 'dm':
      return [room(scope.roomId), server]
  }
}

/** Names of a set of permissions, in the order of {@link permissions}. */
export function namesOf(bits: Bits): Permission[] {
  return permissions.flatMap(({ permission }, n) => (bits & (1 << n) ? [permission] : []))
}
