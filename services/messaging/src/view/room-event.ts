import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { RoomEvent } from '@parley/contracts/internal'
import type { OutgoingEvent } from '@parley/events'
import { isDm, type RoomHeader } from '../domain/room-line.ts'
import { toRoom } from './deliveries.ts'

/** The event of another deployable for a room; `now` is used if the event has no time. */
export function toRoomEvent(room: RoomHeader, place: bigint, event: RoomEvent, now: Date): OutgoingEvent {
  const { eventId, kind, occurredAt, actorId, envelope, traceparent } = event
  const kept = { ...event, envelope: new Uint8Array(), traceparent: '' }
  return {
    id: eventId,
    kind,
    aggregateType: 'room',
    aggregateId: room.roomId,
    version: place,
    occurredAt: occurredAt ? timestampDate(occurredAt) : now,
    actorId,
    fact: { case: 'roomEvent', value: { roomSeq: place, event: kept, dm: isDm(room) } },
    deliveries: envelope.length > 0 ? [toRoom(room, envelope)] : [],
    traceparent,
  }
}
