/** The messages and enums of svc.api.v1 and svc.auth.v1, for clients that pass them around. */
export * from '@parley/contracts/api'
export { ExternalIdentityFlowKind, type PendingExternalIdentity } from '@parley/contracts/auth'
export type { RealtimeEventEnvelope } from '@parley/contracts/realtime'
export type { GetServerResponse } from '@parley/contracts/discovery'
