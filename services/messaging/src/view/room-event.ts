import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { RoomEvent } from '@parley/contracts/internal'
import type { OutgoingEvent } from '@parley/events'
import { isDm, type RoomHeader } from '../domain/room-header.ts'
import { roomDelivery } from './deliveries.ts'

/** An event without a time gets `now`. */
export function toRoomEvent(room: RoomHeader, place: bigint, event: RoomEvent, now: Date): OutgoingEvent {
  const { eventId, kind, occurredAt, actorId, envelope, traceparent } = event
  const withoutEnvelope = { ...event, envelope: new Uint8Array(), traceparent: '' }
  return {
    id: eventId,
    kind,
    aggregateType: 'room',
    aggregateId: room.roomId,
    version: place,
    occurredAt: occurredAt ? timestampDate(occurredAt) : now,
    actorId,
    fact: { case: 'roomEvent', value: { roomSeq: place, event: withoutEnvelope, dm: isDm(room) } },
    deliveries: envelope.length > 0 ? [roomDelivery(room, envelope)] : [],
    traceparent,
  }
}
