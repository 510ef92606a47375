export {
  createMemberClient,
  createParleyClient,
  type MemberClient,
  type ParleyClient,
  type ParleyClientOptions,
} from './client.ts'
export type { AuthorizationCodeFlow, PendingAuthorization } from './authorization-code.ts'
export { adminServices, type AdminServices } from './admin-services.ts'
export type { ApiServices } from './services.ts'
export type { AccountSteps, SignedIn } from './sign-in.ts'
export { newIdempotencyKey } from './calls/idempotency-keys.ts'
export { type Backoff, backoffMs } from './calls/backoff.ts'
export type { RetryPolicy } from './calls/retries.ts'
export { newerRoomEvents, olderRoomEvents } from './paging/room-events.ts'
export { everyPage, type Paged } from './paging/pages.ts'
export type {
  EventKind,
  EventOf,
  Realtime,
  RealtimeOptions,
  RealtimeState,
  ResetReason,
} from './realtime/realtime-types.ts'
export type { WebSocketConstructor, WebSocketLike } from './realtime/web-socket.ts'
export { Code, ConnectError } from '@connectrpc/connect'
