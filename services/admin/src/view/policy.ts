import { create } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import {
  GetPolicyResponseSchema,
  PolicyDecisionSchema,
  type GetPolicyResponse,
  type PolicyDecision,
} from '@parley/contracts/internal'
import type { DecisionKey, PolicyRows } from '../store/policy.ts'

const scopeKinds = {
  server: PermissionScopeKind.SERVER,
  group: PermissionScopeKind.GROUP,
  room: PermissionScopeKind.ROOM,
}

const decisions = {
  allow: PermissionDecision.ALLOW,
  deny: PermissionDecision.DENY,
  none: PermissionDecision.NONE,
}

/** `none` in a delta removes the stored decision. */
export function toPolicyDecision(key: DecisionKey, decision: keyof typeof decisions): PolicyDecision {
  return create(PolicyDecisionSchema, {
    roleId: key.subjectKind === 'role' ? key.subjectId : '',
    userId: key.subjectKind === 'user' ? key.subjectId : '',
    permission: key.permission,
    scope: { kind: scopeKinds[key.scopeKind], id: key.scopeId },
    decision: decisions[decision],
  })
}

export function toPolicy(rows: PolicyRows): GetPolicyResponse {
  return create(GetPolicyResponseSchema, {
    revision: rows.revision,
    roles: rows.roles,
    decisions: rows.decisions.map((row) => toPolicyDecision(row, row.decision)),
  })
}
