import { allBits, bitOf, type Bits } from './bits.ts'
import type { ScopeDecisions } from './decision-index.ts'
import { defaultInDm, neverInDm, neverInDmForOwners } from './dm-rules.ts'
import type { Permission } from './permissions.ts'
import type { Policy } from './policy.ts'
import { everyoneRoleId, ownerRoleId } from './roles.ts'

/** `roleIds` leaves out `everyone`. A `Caller` is a subject. */
export type Subject = { readonly userId: string; readonly roleIds: readonly string[] }

/** A direct message has no group. */
export type Scope =
  | { readonly kind: 'server' }
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'room'; readonly roomId: string; readonly groupId: string }
  | { readonly kind: 'dm'; readonly roomId: string }

/** `undecided` counts as denied. */
export type Outcome = 'allow' | 'deny' | 'undecided'

export const serverScope: Scope = { kind: 'server' }

/**
 * Resolves one permission. Owners are allowed everything except threads in direct messages; others are also denied the
 * permissions in `neverInDm` there. Otherwise the decisions about the user, each of their roles and everyone, at the
 * room, its group and the server, count: one DENY denies, else one ALLOW allows. Without any decision, joining,
 * posting, attaching and reacting are allowed in a direct message, and everything else is undecided.
 */
export function resolve(policy: Policy, subject: Subject, permission: Permission, scope: Scope): Outcome {
  const bit = bitOf(permission)
  const { allow, deny } = resolveAll(policy, subject, scope)
  if (deny & bit) return 'deny'
  return allow & bit ? 'allow' : 'undecided'
}

export function may(policy: Policy, subject: Subject, permission: Permission, scope: Scope): boolean {
  return resolve(policy, subject, permission, scope) === 'allow'
}

/** Resolves all permissions. A permission in both sets is denied. */
function resolveAll(policy: Policy, subject: Subject, scope: Scope): { allow: Bits; deny: Bits } {
  const inDm = scope.kind === 'dm'
  if (isOwner(subject)) return { allow: allBits, deny: inDm ? neverInDmForOwners : 0 }
  const found = { allow: 0, deny: 0 }
  const { server, groups, rooms } = policy.decisions
  collect(found, server, subject)
  if (scope.kind === 'group' || scope.kind === 'room') collect(found, groups.get(scope.groupId), subject)
  if (scope.kind === 'room' || scope.kind === 'dm') collect(found, rooms.get(scope.roomId), subject)
  if (inDm) {
    found.deny |= neverInDm
    found.allow |= defaultInDm
  }
  return found
}

export function allowedBits(policy: Policy, subject: Subject, scope: Scope): Bits {
  const { allow, deny } = resolveAll(policy, subject, scope)
  return allow & ~deny
}

export function isOwner(subject: Subject): boolean {
  return subject.roleIds.includes(ownerRoleId)
}

function collect(found: { allow: Bits; deny: Bits }, at: ScopeDecisions | undefined, subject: Subject): void {
  if (!at) return
  add(found, at.roles.get(everyoneRoleId))
  for (const roleId of subject.roleIds) add(found, at.roles.get(roleId))
  if (at.users.size > 0) add(found, at.users.get(subject.userId))
}

function add(found: { allow: Bits; deny: Bits }, decided: { allow: Bits; deny: Bits } | undefined): void {
  if (!decided) return
  found.allow |= decided.allow
  found.deny |= decided.deny
}
