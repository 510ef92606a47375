import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema, EventSchema } from '@parley/contracts/internal'
import { declareStreams, outgoing, type OutgoingEvent } from '@parley/events'
import type { Bus } from '@parley/rpc'

type Told = Partial<Pick<OutgoingEvent, 'id' | 'occurredAt' | 'actorId' | 'fact' | 'deliveries'>> &
  Pick<OutgoingEvent, 'kind' | 'aggregateType' | 'aggregateId' | 'version'>

/** Puts an event on the stream, as the relay of some service would. Answers its id. */
export async function announce(bus: Bus, told: Told): Promise<string> {
  const event = { occurredAt: new Date(), actorId: '', fact: { case: undefined }, ...told }
  await declareStreams(bus)
  const { eventId, subject, payload } = outgoing(event)
  const batch = create(EventBatchSchema, { events: [fromBinary(EventSchema, payload)] })
  await bus.nc.jetstream().publish(subject, toBinary(EventBatchSchema, batch))
  return eventId
}
