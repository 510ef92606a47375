import { bitOf, applicableAt, namesOf, type Bits } from './bits.ts'
import type { DecisionBits, ScopeDecisions } from './decision-index.ts'
import { scopesAt, type ScopeEntry } from './scopes-at.ts'
import { permissions, type Permission, type ScopeKind } from './permissions.ts'
import type { Policy } from './policy.ts'
import type { Scope } from './resolve.ts'
import { ownerRoleId } from './roles.ts'

export type Holder = { readonly kind: 'role' | 'user'; readonly id: string }

/** Names of permissions in the order of {@link permissions}; no name is in both. */
export type Decisions = { readonly allowed: readonly Permission[]; readonly denied: readonly Permission[] }

/** A stored decision; the id of the server scope is empty. */
export type StoredDecision = {
  readonly permission: Permission
  readonly scope: { readonly kind: ScopeKind; readonly id: string }
  readonly decision: 'allow' | 'deny'
}

const noDecision: DecisionBits = { allow: 0, deny: 0 }

/** The holder's decisions stored at exactly this scope. */
export function storedAt(policy: Policy, holder: Holder, scope: Scope): Decisions {
  const [here] = scopesAt(policy, scope)
  return toDecisions(bitsOfHolder(holder, here?.decisions))
}

/**
 * The holder's permissions at this scope: for each, the decision stored at the nearest scope counts, which is the scope
 * itself or a wider one. For display only: `resolve` considers all holders, and a DENY for any of them takes precedence
 * there. The role `owner` is allowed everything although nothing is stored.
 */
export function effectiveAt(policy: Policy, holder: Holder, scope: Scope): Decisions {
  return toDecisions(resolveByNearest(holder, scopesAt(policy, scope), applicablePermissions(scope)))
}

/** The holder's permissions at this scope if nothing were stored at the scope itself. */
export function inheritedAt(policy: Policy, holder: Holder, scope: Scope): Decisions {
  return toDecisions(resolveByNearest(holder, scopesAt(policy, scope).slice(1), applicablePermissions(scope)))
}

/**
 * Everything stored for the holder: in the order of `permissions`, a permission's decisions for the server, then
 * groups, then rooms.
 */
export function storedDecisions({ decisions }: Policy, holder: Holder): StoredDecision[] {
  const scopes: ScopeEntry[] = [
    { kind: 'server', id: '', decisions: decisions.server },
    ...sortById('group', decisions.groups),
    ...sortById('room', decisions.rooms),
  ]
  return permissions.flatMap(({ permission }) => {
    const bit = bitOf(permission)
    return scopes.flatMap(({ kind, id, decisions: stored }): StoredDecision[] => {
      const { allow, deny } = bitsOfHolder(holder, stored)
      if (((allow | deny) & bit) === 0) return []
      return [{ permission, scope: { kind, id }, decision: deny & bit ? 'deny' : 'allow' }]
    })
  })
}

function sortById(kind: ScopeKind, scopes: ReadonlyMap<string, ScopeDecisions>): ScopeEntry[] {
  const sorted = [...scopes].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([id, decisions]) => ({ kind, id, decisions }))
}

const applicablePermissions = (scope: Scope): Bits => applicableAt[scope.kind === 'dm' ? 'room' : scope.kind]

function bitsOfHolder({ kind, id }: Holder, at: ScopeDecisions | undefined): DecisionBits {
  return (kind === 'role' ? at?.roles : at?.users)?.get(id) ?? noDecision
}

function resolveByNearest(holder: Holder, scopes: readonly ScopeEntry[], candidates: Bits): DecisionBits {
  if (holder.kind === 'role' && holder.id === ownerRoleId) return { allow: candidates, deny: 0 }
  const found = { allow: 0, deny: 0 }
  for (const { decisions } of scopes) {
    const { allow, deny } = bitsOfHolder(holder, decisions)
    const open = candidates & ~(found.allow | found.deny)
    found.allow |= allow & open
    found.deny |= deny & open
  }
  return found
}

const toDecisions = ({ allow, deny }: DecisionBits): Decisions => ({ allowed: namesOf(allow), denied: namesOf(deny) })
