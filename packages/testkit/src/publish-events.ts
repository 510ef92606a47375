import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema, EventSchema, type Event } from '@parley/contracts/internal'
import { outgoing, type OutgoingEvent } from '@parley/events'
import type { Bus } from '@parley/rpc'

/** An event as far as a test cares: version 1, from now, by nobody, about nothing unless it says so. */
export type TestEvent = Pick<OutgoingEvent, 'kind' | 'aggregateType' | 'aggregateId'> & Partial<OutgoingEvent>

/** Puts events on the stream as a relay would, in one bus message; answers with them when the stream has them. */
export async function publishEvents(bus: Bus, ...events: TestEvent[]): Promise<Event[]> {
  const rows = events.map((event) =>
    outgoing({ version: 1n, occurredAt: new Date(), actorId: '', fact: { case: undefined }, ...event }),
  )
  const published = rows.map(({ payload }) => fromBinary(EventSchema, payload))
  const batch = create(EventBatchSchema, { events: published })
  const [first] = rows
  if (first) await bus.nc.jetstream().publish(first.subject, toBinary(EventBatchSchema, batch))
  return published
}
