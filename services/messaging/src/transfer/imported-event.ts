import { realtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { RoomHeader } from '../domain/room-line.ts'
import { toRoom } from '../view/deliveries.ts'

/** Tells that messages came into a room from elsewhere: clients read it again, nobody is notified. */
export function toImportedEvent(room: RoomHeader, place: bigint, messages: number, at: Date): OutgoingEvent {
  const id = newId('event')
  const envelope = realtimeEnvelope('room_updated', {
    id,
    createdAt: at,
    actorId: '',
    value: { roomId: room.roomId },
  })
  return {
    ...{ id, kind: 'messages_imported', aggregateType: 'room', aggregateId: room.roomId, version: place },
    ...{ occurredAt: at, actorId: '' },
    fact: { case: 'details', value: { details: { messages: String(messages) } } },
    deliveries: [toRoom(room, envelope)],
  }
}
