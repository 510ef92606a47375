export { capabilities, mayStartDm, type CapabilityGrant } from './capabilities.ts'
export { explain, type Explanation, type TraceEntry } from './explain.ts'
export {
  groupPermissions,
  isEffectiveMember,
  roomPermissions,
  roomScope,
  viewerPermissions,
  type Grant,
  type RoomProperties,
} from './grants.ts'
export {
  effectiveAt,
  inheritedAt,
  storedAt,
  storedDecisions,
  type Decisions,
  type Holder,
  type StoredDecision,
} from './matrix.ts'
export {
  appliesAt,
  isPermission,
  permissions,
  type Permission,
  type PermissionInfo,
  type ScopeKind,
} from './permissions.ts'
export { applyDelta, isNext, Policy, policyFrom } from './policy.ts'
export { isOwner, may, resolve, serverScope, type Outcome, type Scope, type Subject } from './resolve.ts'
export {
  defaultDecisions,
  defaultPolicy,
  everyoneRoleId,
  ownerRoleId,
  systemRoles,
  type DefaultDecision,
  type SystemRole,
} from './roles.ts'
