import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Decisions, Permission, StoredDecision } from '@parley/permissions'
import {
  PermissionDecision,
  PermissionScopeKind,
  type PermissionScopeSchema,
  type ScopedPermissionDecisionSchema,
} from '@parley/contracts/admin'
import type { DecisionScope } from '../domain/decision-scope.ts'

const kinds = {
  server: PermissionScopeKind.SERVER,
  group: PermissionScopeKind.GROUP,
  room: PermissionScopeKind.ROOM,
}

const decisions = { allow: PermissionDecision.ALLOW, deny: PermissionDecision.DENY }

export const toScopeKind = (kind: DecisionScope['kind']): PermissionScopeKind => kinds[kind]

export const toPermissionScope = ({ kind, id }: DecisionScope): MessageInitShape<typeof PermissionScopeSchema> => {
  return { kind: kinds[kind], id }
}

export const toDecision = (decision: 'allow' | 'deny'): PermissionDecision => decisions[decision]

export function decisionAbout({ allowed, denied }: Decisions, permission: Permission): PermissionDecision {
  if (denied.includes(permission)) return PermissionDecision.DENY
  return allowed.includes(permission) ? PermissionDecision.ALLOW : PermissionDecision.NONE
}

/** A stored decision is effective at its own scope. */
export function toScopedDecision(stored: StoredDecision): MessageInitShape<typeof ScopedPermissionDecisionSchema> {
  const decision = decisions[stored.decision]
  const { permission, scope } = stored
  return { permission, scope: toPermissionScope(scope), override: decision, effective: decision }
}
