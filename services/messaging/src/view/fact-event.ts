import { realtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import type { Notice, Step } from '../domain/fold-facts.ts'
import { isDm } from '../domain/room-line.ts'
import { toRoom, toUser } from './deliveries.ts'

/** The event of a fact that has its place in the room's log. */
export function toFactEvent(step: Step, occurredAt: Date): OutgoingEvent {
  const { fact, line } = step
  const { roomId, roomSeq, groupId, universal, archived, name } = line
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
      value: { roomSeq, fact, header: { dm: isDm(line), groupId, universal, archived, name } },
    },
    deliveries: step.notice ? deliveries(step, step.notice, occurredAt) : [],
  }
}

function deliveries(step: Step, notice: Notice, createdAt: Date): DeliveryInit[] {
  const { fact, line, aboutUserId } = step
  const base = { id: fact.eventId, createdAt, actorId: aboutUserId ?? fact.actorId }
  const envelope =
    notice === 'room_universal_changed'
      ? realtimeEnvelope(notice, { ...base, value: { roomId: line.roomId, universal: line.universal } })
      : realtimeEnvelope(notice, { ...base, value: { roomId: line.roomId } })
  // Includes the person who created, joined or left the room, who is not in its audience at that moment.
  const person = notice === 'room_created' ? fact.actorId : aboutUserId
  const toPerson = person && !isDm(line) ? [toUser(person, envelope)] : []
  return [toRoom(line, envelope), ...toPerson]
}
