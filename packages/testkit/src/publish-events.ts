import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema, EventSchema, type Event } from '@parley/contracts/internal'
import { eventSubject, outgoing, type OutgoingEvent } from '@parley/events'
import type { Bus } from '@parley/rpc'

/** An event as far as a test cares: version 1, from now, by nobody, about nothing unless it says so. */
export type TestEvent = Pick<OutgoingEvent, 'kind' | 'aggregateType' | 'aggregateId'> &
  Partial<OutgoingEvent> & { /** The trace it belongs to, if not the current one. */ traceparent?: string }

/** The event as its service would put it into the outbox. */
export function testEvent({ traceparent, ...event }: TestEvent): Event {
  const unsaid = { version: 1n, occurredAt: new Date(), actorId: '', fact: { case: undefined } }
  const { payload } = outgoing({ ...unsaid, ...event })
  return Object.assign(fromBinary(EventSchema, payload), traceparent === undefined ? {} : { traceparent })
}

/** Publishes events as a relay would, in one message; resolves with them when the stream has stored them. */
export async function publishEvents(bus: Bus, ...events: TestEvent[]): Promise<Event[]> {
  const published = events.map(testEvent)
  const batch = create(EventBatchSchema, { events: published })
  const [first] = events
  if (first) await bus.nc.jetstream().publish(eventSubject(first), toBinary(EventBatchSchema, batch))
  return published
}
