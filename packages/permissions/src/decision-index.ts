import { PermissionDecision, PermissionScopeKind, type PermissionScope } from '@parley/contracts/admin'
import type { PolicyDecision } from '@parley/contracts/internal'
import { bitOf, applicableAt, type Bits } from './bits.ts'
import type { ScopeKind } from './permissions.ts'

/** The allowed and denied permissions of one role or user at one scope. */
export type DecisionBits = { readonly allow: Bits; readonly deny: Bits }

export type ScopeDecisions = {
  readonly roles: ReadonlyMap<string, DecisionBits>
  readonly users: ReadonlyMap<string, DecisionBits>
}

/** All decisions, by scope. Most rooms and groups have no entry, because they have no decisions. */
export type DecisionIndex = {
  readonly server: ScopeDecisions
  readonly groups: ReadonlyMap<string, ScopeDecisions>
  readonly rooms: ReadonlyMap<string, ScopeDecisions>
}

export const emptyIndex: DecisionIndex = {
  server: { roles: new Map(), users: new Map() },
  groups: new Map(),
  rooms: new Map(),
}

type MutableScopeDecisions = { readonly roles: Map<string, DecisionBits>; readonly users: Map<string, DecisionBits> }

/** Builds a new index from an older one, which stays unchanged: a scope is copied at the first write to it. */
export class IndexDraft {
  #server: ScopeDecisions
  readonly #groups: Map<string, ScopeDecisions>
  readonly #rooms: Map<string, ScopeDecisions>
  /** The scopes copied so far; each copy is its own key. */
  readonly #copies = new Map<ScopeDecisions, MutableScopeDecisions>()

  constructor(from: DecisionIndex) {
    this.#server = from.server
    this.#groups = new Map(from.groups)
    this.#rooms = new Map(from.rooms)
  }

  /**
   * Stores a decision or, for NONE, removes it. Ignores a permission that is unknown or does not apply at the scope.
   */
  decide(decision: PolicyDecision): void {
    const kind = scopeKind(decision.scope)
    const id = decision.scope?.id ?? ''
    const bit = bitOf(decision.permission) & applicableAt[kind]
    if (bit === 0 || (kind !== 'server' && id === '')) return
    const { roles, users } = this.#copyForWriting(kind, id)
    if (decision.roleId) change(roles, decision.roleId, decision.decision, bit)
    else if (decision.userId) change(users, decision.userId, decision.decision, bit)
  }

  forgetRole(roleId: string): void {
    if (this.#server.roles.has(roleId)) this.#copyForWriting('server', '').roles.delete(roleId)
    for (const [id, { roles }] of this.#groups)
      if (roles.has(roleId)) this.#copyForWriting('group', id).roles.delete(roleId)
    for (const [id, { roles }] of this.#rooms)
      if (roles.has(roleId)) this.#copyForWriting('room', id).roles.delete(roleId)
  }

  finish(): DecisionIndex {
    return { server: this.#server, groups: this.#groups, rooms: this.#rooms }
  }

  #copyForWriting(kind: ScopeKind, id: string): MutableScopeDecisions {
    const byId = kind === 'group' ? this.#groups : this.#rooms
    const before = kind === 'server' ? this.#server : byId.get(id)
    const made = before && this.#copies.get(before)
    if (made) return made
    const copy = { roles: new Map(before?.roles), users: new Map(before?.users) }
    this.#copies.set(copy, copy)
    if (kind === 'server') this.#server = copy
    else byId.set(id, copy)
    return copy
  }
}

function scopeKind(scope: PermissionScope | undefined): ScopeKind {
  switch (scope?.kind) {
    case PermissionScopeKind.GROUP:
      return 'group'
    case PermissionScopeKind.ROOM:
      return 'room'
    default:
      return 'server'
  }
}

function change(byId: Map<string, DecisionBits>, id: string, decision: PermissionDecision, bit: Bits): void {
  const before = byId.get(id) ?? { allow: 0, deny: 0 }
  const allow = (before.allow & ~bit) | (decision === PermissionDecision.ALLOW ? bit : 0)
  const deny = (before.deny & ~bit) | (decision === PermissionDecision.DENY ? bit : 0)
  if (allow | deny) byId.set(id, { allow, deny })
  else byId.delete(id)
}
