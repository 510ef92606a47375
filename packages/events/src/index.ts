export { realtimeEnvelope, type RealtimeKind, type RealtimeValue } from './envelope.ts'
export { enqueue } from './outbox/enqueue.ts'
export { maxEventBytes, outgoing, type DeliveryInit, type OutboxRow, type OutgoingEvent } from './outbox/outgoing.ts'
export { allEvents, controlEvents, eventStream, eventSubject, type AggregateType } from './subjects.ts'
