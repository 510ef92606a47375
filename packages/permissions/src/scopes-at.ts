import type { ScopeDecisions } from './decision-index.ts'
import type { ScopeKind } from './permissions.ts'
import type { Policy } from './policy.ts'
import type { Scope } from './resolve.ts'

export type ScopeEntry = {
  readonly kind: ScopeKind
  readonly id: string
  readonly decisions: ScopeDecisions | undefined
}

/** The scopes whose decisions count at a scope, the nearest first. */
export function scopesAt({ decisions }: Policy, scope: Scope): ScopeEntry[] {
  const server: ScopeEntry = { kind: 'server', id: '', decisions: decisions.server }
  const group = (id: string): ScopeEntry => ({ kind: 'group', id, decisions: decisions.groups.get(id) })
  const room = (id: string): ScopeEntry => ({ kind: 'room', id, decisions: decisions.rooms.get(id) })
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
