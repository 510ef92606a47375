import { create } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { GetPolicyResponseSchema, PolicyDecisionSchema, type PolicyDecision } from '@parley/contracts/internal'
import type { Permission, ScopeKind } from '../src/permissions.ts'
import { policyFrom, type Policy } from '../src/policy.ts'

/** A decision as tests write it: who ("role:moderator", "user:U1"), what, where ("server", "group:G1", "room:R1"). */
export type DecisionSpec = readonly [
  who: string,
  what: 'allow' | 'deny' | 'none',
  permission: Permission,
  where: string,
]

const kinds: Record<ScopeKind, PermissionScopeKind> = {
  server: PermissionScopeKind.SERVER,
  group: PermissionScopeKind.GROUP,
  room: PermissionScopeKind.ROOM,
}

const words = { allow: PermissionDecision.ALLOW, deny: PermissionDecision.DENY, none: PermissionDecision.NONE }

export function decision([who, what, permission, where]: DecisionSpec): PolicyDecision {
  const [subject, subjectId = ''] = who.split(':')
  const [kind, id = ''] = where.split(':') as [ScopeKind, string?]
  return create(PolicyDecisionSchema, {
    ...(subject === 'role' ? { roleId: subjectId } : { userId: subjectId }),
    permission,
    scope: { kind: kinds[kind], id },
    decision: words[what],
  })
}

/** A policy with these decisions and nothing else. */
export function policyOf(...specs: DecisionSpec[]): Policy {
  return policyFrom(create(GetPolicyResponseSchema, { revision: 1n, decisions: specs.map(decision) }))
}
