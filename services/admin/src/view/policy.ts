import { create } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import {
  GetPolicyResponseSchema,
  PolicyDecisionSchema,
  type GetPolicyResponse,
  type PolicyDecision,
} from '@parley/contracts/internal'
import type { DecisionRow, PolicyRows } from '../store/policy.ts'

const scopeKinds = {
  server: PermissionScopeKind.SERVER,
  group: PermissionScopeKind.GROUP,
  room: PermissionScopeKind.ROOM,
}

const decisions = { allow: PermissionDecision.ALLOW, deny: PermissionDecision.DENY }

export function toPolicyDecision(row: DecisionRow): PolicyDecision {
  return create(PolicyDecisionSchema, {
    roleId: row.subjectKind === 'role' ? row.subjectId : '',
    userId: row.subjectKind === 'user' ? row.subjectId : '',
    permission: row.permission,
    scope: { kind: scopeKinds[row.scopeKind], id: row.scopeId },
    decision: decisions[row.decision],
  })
}

export function toPolicy(rows: PolicyRows): GetPolicyResponse {
  return create(GetPolicyResponseSchema, {
    revision: rows.revision,
    roles: rows.roles,
    decisions: rows.decisions.map(toPolicyDecision),
  })
}
