import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { EventSchema, type DeliverySchema } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { encode } from '@parley/protobuf'
import { currentTraceparent } from '@parley/telemetry'
import { eventSubject, type AggregateType } from '../subjects.ts'
import { shardOf } from './shards.ts'

export type DeliveryInit = MessageInitShape<typeof DeliverySchema>

export type OutgoingEvent = {
  id?: string
  kind: string
  /**
   * A further token of the subject, for events that most consumers of the kind do not need: a filter that ends with the
   * kind does not match them.
   */
  detail?: string
  aggregateType: AggregateType
  aggregateId: string
  version: bigint
  occurredAt: Date
  /** Empty for the system. */
  actorId: string
  /** For consumers and the audit log: ids, versions and short details; never names, bodies or secrets. */
  fact: MessageInitShape<typeof EventSchema>['fact']
  deliveries?: DeliveryInit[]
  /** W3C traceparent of the cause; empty: none. Default: that of the current span. */
  traceparent?: string
}

/**
 * Column values of an outbox entry, and the parts of its aggregate, for SQL statements that insert the entry
 * themselves.
 */
export type OutboxRow = {
  shard: number
  /** `<type>.<id>`. */
  aggregate: string
  aggregateType: AggregateType
  aggregateId: string
  subject: string
  eventId: string
  payload: Buffer
}

/** The largest encoded event, in bytes. */
export const maxEventBytes = 512 * 1024

/** Throws a RangeError if the event is too large, or if its aggregate id, kind or detail is not valid in a subject. */
export function toOutboxRow(event: OutgoingEvent): OutboxRow {
  const { aggregateType, aggregateId, kind } = event
  const subject = eventSubject(event)
  const eventId = event.id ?? newId('event')
  const bytes = encode(EventSchema, {
    id: eventId,
    kind,
    aggregateType,
    aggregateId,
    version: event.version,
    occurredAt: timestampFromDate(event.occurredAt),
    actorId: event.actorId,
    traceparent: event.traceparent ?? currentTraceparent(),
    fact: event.fact ?? { case: undefined },
    deliveries: event.deliveries ?? [],
  })
  if (bytes.length > maxEventBytes) {
    throw new RangeError(`event ${kind} has ${bytes.length} bytes, but at most ${maxEventBytes} can be published`)
  }
  const aggregate = `${aggregateType}.${aggregateId}`
  const payload = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { shard: shardOf(aggregate), aggregate, aggregateType, aggregateId, subject, eventId, payload }
}
