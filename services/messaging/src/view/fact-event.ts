import { encodeRealtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import type { ClientEventKind, Step } from '../domain/fold-facts.ts'
import { isDm } from '../domain/room-header.ts'
import { roomDelivery, userDelivery } from './deliveries.ts'

export function toFactEvent(step: Step, occurredAt: Date): OutgoingEvent {
  const { fact, room } = step
  const { roomId, roomSeq, groupId, universal, archived, name } = room
  return {
    id: fact.eventId,
    kind: step.kind,
    aggregateType: 'room',
    aggregateId: roomId,
    version: roomSeq,
    occurredAt,
    actorId: fact.actorId,
    fact: {
      case: 'roomFact',
      value: { roomSeq, fact, header: { dm: isDm(room), groupId, universal, archived, name } },
    },
    deliveries: step.clientEvent ? toDeliveries(step, step.clientEvent, occurredAt) : [],
  }
}

function toDeliveries(step: Step, clientEvent: ClientEventKind, createdAt: Date): DeliveryInit[] {
  const { fact, room, aboutUserId } = step
  const base = { id: fact.eventId, createdAt, actorId: aboutUserId ?? fact.actorId }
  const envelope =
    clientEvent === 'room_universal_changed'
      ? encodeRealtimeEnvelope(clientEvent, { ...base, value: { roomId: room.roomId, universal: room.universal } })
      : encodeRealtimeEnvelope(clientEvent, { ...base, value: { roomId: room.roomId } })
  // The audience of the room might not contain the person who has just created, joined or left the room.
  const person = clientEvent === 'room_created' ? fact.actorId : aboutUserId
  const toPerson = person && !isDm(room) ? [userDelivery(person, envelope)] : []
  return [roomDelivery(room, envelope), ...toPerson]
}
