import { fromBinary } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

/** Recipients and content of a client event. */
export const heard = (event: Event) =>
  event.deliveries.map(({ envelope, audience }) => {
    const { id, actorId, event: heard } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
    const { $typeName: _, ...value } = heard.value ?? { $typeName: undefined }
    const to = audience.case === 'users' ? audience.value.userIds : audience.value
    return { to, id, actorId, kind: heard.case, value }
  })
