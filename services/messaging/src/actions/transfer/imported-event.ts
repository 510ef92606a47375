import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { RoomHeader } from '../../domain/room-header.ts'
import { roomDelivery } from '../../view/deliveries.ts'

export type ImportedAttachment = { assetId: string; messageEventId: string }

/** Keeps each event below the maximum size. */
const attachmentsPerEvent = 2_000

/** The events take the places from `place` on. They notify nobody; clients reload the room. */
export function toImportedEvents(
  room: RoomHeader,
  place: bigint,
  imported: { messages: number; attachments: readonly ImportedAttachment[] },
  at: Date,
): OutgoingEvent[] {
  const events: OutgoingEvent[] = []
  do {
    const from = events.length * attachmentsPerEvent
    const attachments = imported.attachments.slice(from, from + attachmentsPerEvent)
    const messages = from === 0 ? imported.messages : 0
    events.push(toEvent(room, place + BigInt(events.length), { messages, attachments }, at))
  } while (events.length * attachmentsPerEvent < imported.attachments.length)
  return events
}

function toEvent(
  room: RoomHeader,
  place: bigint,
  { messages, attachments }: { messages: number; attachments: ImportedAttachment[] },
  at: Date,
): OutgoingEvent {
  const id = newId('event')
  const value = { roomId: room.roomId }
  const envelope = encodeRealtimeEnvelope('room_updated', { id, createdAt: at, actorId: '', value })
  return {
    ...{ id, kind: 'messages_imported', aggregateType: 'room', aggregateId: room.roomId, version: place },
    ...{ occurredAt: at, actorId: '' },
    fact: { case: 'messagesImported', value: { roomSeq: place, messages, attachments } },
    deliveries: [roomDelivery(room, envelope)],
  }
}
