import { fromBinary } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

/** What clients hear of an event: to whom, and what. */
export const heard = (event: Event) =>
  event.deliveries.map(({ envelope, audience }) => {
    const { id, actorId, event: heard } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
    const { $typeName: _, ...value } = heard.value ?? { $typeName: undefined }
    const to = audience.case === 'users' ? audience.value.userIds : audience.value
    return { to, id, actorId, kind: heard.case, value }
  })
