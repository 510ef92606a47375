import { realtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { RoomHeader } from '../domain/room-line.ts'
import { toRoom } from './deliveries.ts'

/** A change that is about to get its place in the log of a room. */
export type Occurrence = { room: RoomHeader; place: bigint; actorId: string; at: Date }

/** Parts that a message no longer shows. */
export type Removed = { assetIds: readonly string[]; previewImageKey: string }

export const nothingRemoved: Removed = { assetIds: [], previewImageKey: '' }

type Edited = { eventId: string; threadRootEventId: string; echoEventId: string | undefined }

/** Text, attachments or preview changed; the event also covers its echo. */
export function toEditedEvent(occurrence: Occurrence, message: Edited, removed: Removed): OutgoingEvent {
  const id = newId('event')
  const { eventId, threadRootEventId, echoEventId } = message
  const edited = (messageEventId: string, envelopeId: string): DeliveryInit =>
    delivered('message_edited', occurrence, envelopeId, messageEventId)
  return {
    ...base(occurrence, id, 'message_edited'),
    fact: {
      case: 'messageEdited',
      value: { roomSeq: occurrence.place, messageEventId: eventId, threadRootEventId, ...removedFact(removed) },
    },
    deliveries: [
      edited(eventId, id),
      ...(echoEventId === undefined ? [] : [edited(echoEventId, newId('event'))]),
      ...assetsDeleted(occurrence, removed),
    ],
  }
}

type Retracted = { eventId: string; threadRootEventId: string; channelEchoEventId: string; echoOnly: boolean }

/** A message with its echo became a placeholder, or only an echo was retracted. */
export function toRetractedEvent(occurrence: Occurrence, message: Retracted, removed: Removed): OutgoingEvent {
  const id = newId('event')
  const { eventId, ...rest } = message
  return {
    ...base(occurrence, id, 'message_retracted'),
    fact: {
      case: 'messageRetracted',
      value: { roomSeq: occurrence.place, messageEventId: eventId, ...rest, ...removedFact(removed) },
    },
    deliveries: [delivered('message_retracted', occurrence, id, eventId), ...assetsDeleted(occurrence, removed)],
  }
}

/** A reaction was added or removed; always of the message, never of its echo. */
export function toReactionEvent(
  occurrence: Occurrence,
  kind: 'reaction_added' | 'reaction_removed',
  reaction: { eventId: string; emoji: string },
): OutgoingEvent {
  const id = newId('event')
  const { room, place, actorId, at } = occurrence
  const { eventId: messageEventId, emoji } = reaction
  const value = { roomId: room.roomId, messageEventId, emoji }
  return {
    ...base(occurrence, id, kind),
    fact: { case: 'reaction', value: { roomSeq: place, messageEventId, emoji } },
    deliveries: [toRoom(room, realtimeEnvelope(kind, { id, createdAt: at, actorId, value }))],
  }
}

const base = ({ room, place, actorId, at }: Occurrence, id: string, kind: string) =>
  ({ id, kind, aggregateType: 'room', aggregateId: room.roomId, version: place, occurredAt: at, actorId }) as const

const removedFact = ({ assetIds, previewImageKey }: Removed) => ({
  removedAssetIds: [...assetIds],
  removedLinkPreviewImageKey: previewImageKey,
})

function delivered(
  kind: 'message_edited' | 'message_retracted',
  { room, actorId, at }: Occurrence,
  id: string,
  messageEventId: string,
): DeliveryInit {
  const value = { roomId: room.roomId, messageEventId }
  return toRoom(room, realtimeEnvelope(kind, { id, createdAt: at, actorId, value }))
}

function assetsDeleted({ room, actorId, at }: Occurrence, { assetIds }: Removed): DeliveryInit[] {
  return assetIds.map((assetId) => {
    const value = { roomId: room.roomId, assetId }
    return toRoom(room, realtimeEnvelope('asset_deleted', { id: newId('event'), createdAt: at, actorId, value }))
  })
}
