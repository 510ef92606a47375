export { consumeEvents, type ConsumerOptions } from './consume/consume-events.ts'
export { parkedEventsService } from './consume/parked-events.ts'
export type { Requeue } from './consume/requeue.ts'
export { reasonOf } from './consume/failures.ts'
export { type AfterCommit, type EventHandler, type EventPreparation } from './consume/handle-message.ts'
export type { BatchHandler, BatchPreparation } from './consume/handle-messages.ts'
export { encodeRealtimeEnvelope, type RealtimeKind, type RealtimeValue } from './envelope.ts'
export { refuseErased } from './erase/refuse-erased.ts'
export { startErasures, type ErasureOptions, type ErasureReport } from './erase/start-erasures.ts'
export { followControl, type ControlFeed, type ControlListener } from './follow/follow-control.ts'
export { followEvents } from './follow/follow-events.ts'
export type { EventFollower, FollowOptions } from './follow/follower.ts'
export { followPolicy, type FollowPolicyOptions, type PolicyHolder } from './follow/follow-policy.ts'
export { handOver } from './handover/hand-over.ts'
export type { HandOverOptions } from './handover/room.ts'
export { startHandOver } from './handover/start-hand-over.ts'
export {
  enqueue,
  maxEventBytes,
  toOutboxRow,
  startRelay,
  type DeliveryInit,
  type OutboxRow,
  type OutgoingEvent,
  type Relay,
  type RelayOptions,
} from './outbox/index.ts'
export { requestKeeper } from './keep/requests.ts'
export { keepStream } from './keep/keep-stream.ts'
export { readNewestEvent } from './keep/newest-event.ts'
export { readRecoveries, recoveriesIn, type RecoverySummary } from './keep/recoveries.ts'
export { declareStreams, type StreamOptions } from './stream/declare.ts'
export { countOnStream, removeFromStream } from './stream/remove.ts'
export { RecentIds } from './follow/recent-ids.ts'
export { nextVersion, versionOfNow } from './versions.ts'
export {
  allEvents,
  controlEvents,
  durableName,
  eventStream,
  eventSubject,
  presenceHints,
  presenceHintSubject,
  typingHints,
  typingHintSubject,
  type AggregateType,
} from './subjects.ts'
