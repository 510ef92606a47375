/** All of package svc.api.v1, and the messages and enums of other packages that clients use. */
export * from '@parley/contracts/api'
export { ExternalIdentityFlowKind, type PendingExternalIdentity } from '@parley/contracts/auth'
export {
  type AdminMember,
  type AdminRole,
  type AdminRoomLayoutGroup,
  type Invite,
  PermissionDecision,
  PermissionDecisionLevel,
  type PermissionExplanation,
} from '@parley/contracts/admin'
export type { RealtimeEventEnvelope } from '@parley/contracts/realtime'
export type { GetServerResponse } from '@parley/contracts/discovery'
