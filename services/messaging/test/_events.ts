import { fromBinary } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

/** Recipients and content of a client event. */
export const received = (event: Event) =>
  event.deliveries.map(({ envelope, audience }) => {
    const { id, actorId, event: received } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
    const { $typeName: _, ...value } = received.value ?? { $typeName: undefined }
    const to = audience.case === 'users' ? audience.value.userIds : audience.value
    return { to, id, actorId, kind: received.case, value }
  })
