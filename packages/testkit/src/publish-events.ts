import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema, EventSchema, type Event } from '@parley/contracts/internal'
import { eventSubject, toOutboxRow, type OutgoingEvent } from '@parley/events'
import type { Bus } from '@parley/rpc'

/**
 * The fields of an event that a test sets. The default for the others: version 1, the current time, no actor and no
 * data.
 */
export type TestEvent = Pick<OutgoingEvent, 'kind' | 'aggregateType' | 'aggregateId'> & Partial<OutgoingEvent>

export function testEvent(event: TestEvent): Event {
  const defaults = { version: 1n, occurredAt: new Date(), actorId: '', fact: { case: undefined } }
  return fromBinary(EventSchema, toOutboxRow({ ...defaults, ...event }).payload)
}

/** Publishes events as a relay would, in one message; resolves with them when the stream has stored them. */
export async function publishEvents(bus: Bus, ...events: TestEvent[]): Promise<Event[]> {
  const published = events.map(testEvent)
  const batch = create(EventBatchSchema, { events: published })
  const [first] = events
  if (first) await bus.nc.jetstream().publish(eventSubject(first), toBinary(EventBatchSchema, batch))
  return published
}
