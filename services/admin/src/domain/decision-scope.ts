import type { Scope, ScopeKind } from '@parley/permissions'
import { PermissionScopeKind } from '@parley/contracts/admin'
import { badScope } from '../errors.ts'

/** The id of the server is empty. */
export type DecisionScope = { readonly kind: ScopeKind; readonly id: string }

const maxIdLength = 128

/** Default: the server. Throws `invalid_argument` for an id that does not fit the kind or is too long. */
export function scopeFrom(scope: { kind: PermissionScopeKind; id: string } | undefined): DecisionScope {
  const { kind = PermissionScopeKind.UNSPECIFIED, id = '' } = scope ?? {}
  if (kind === PermissionScopeKind.UNSPECIFIED || kind === PermissionScopeKind.SERVER) {
    if (id !== '') throw badScope('an id must not be given for the server')
    return { kind: 'server', id }
  }
  if (id === '') throw badScope('a group or a room needs an id')
  if (id.length > maxIdLength) throw badScope('the id is too long')
  return { kind: kind === PermissionScopeKind.GROUP ? 'group' : 'room', id }
}

export const scopeName = ({ kind, id }: DecisionScope): string => (kind === 'server' ? kind : `${kind}:${id}`)

/** `groupId`: the group of a room; empty for a direct message. */
export function toScope({ kind, id }: DecisionScope, groupId = ''): Scope {
  switch (kind) {
    case 'server':
      return { kind }
    case 'group':
      return { kind, groupId: id }
    case 'room':
      return groupId === '' ? { kind: 'dm', roomId: id } : { kind, roomId: id, groupId }
  }
}
