import { fromBinary } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

export const deliveriesOf = (event: Event) =>
  event.deliveries.map(({ envelope, audience }) => {
    const { id, actorId, event: clientEvent } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
    const { $typeName: _, ...value } = clientEvent.value ?? { $typeName: undefined }
    const to = audience.case === 'users' ? audience.value.userIds : audience.value
    return { to, id, actorId, kind: clientEvent.case, value }
  })
