import { encodeRealtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { RoomHeader } from '../domain/room-header.ts'
import { roomDelivery } from './deliveries.ts'

export type ChangeHeader = { room: RoomHeader; place: bigint; actorId: string; at: Date }

export type Removed = { assetIds: readonly string[]; previewImageKey: string }

export const nothingRemoved: Removed = { assetIds: [], previewImageKey: '' }

type Edited = { eventId: string; threadRootEventId: string; echoEventId: string | undefined }

/** If the message has an echo, a second delivery announces that the echo was edited too. */
export function toEditedEvent(header: ChangeHeader, message: Edited, removed: Removed): OutgoingEvent {
  const id = newId('event')
  const { eventId, threadRootEventId, echoEventId } = message
  const toEdited = (messageEventId: string, envelopeId: string): DeliveryInit =>
    toDelivery('message_edited', header, envelopeId, { messageEventId })
  return {
    ...baseOf(header, id, 'message_edited'),
    ...detailOf(removed),
    fact: {
      case: 'messageEdited',
      value: { roomSeq: header.place, messageEventId: eventId, threadRootEventId, ...toRemovedFields(removed) },
    },
    deliveries: [
      toEdited(eventId, id),
      ...(echoEventId === undefined ? [] : [toEdited(echoEventId, newId('event'))]),
      ...toAssetsDeleted(header, removed),
    ],
  }
}

/** `channelEchoEventId`: the echo that is retracted with the message. `echoOnly`: `eventId` is an echo. */
type Retracted = { eventId: string; threadRootEventId: string; channelEchoEventId: string; echoOnly: boolean }

export function toRetractedEvent(header: ChangeHeader, message: Retracted, removed: Removed): OutgoingEvent {
  const id = newId('event')
  const { eventId: messageEventId, ...rest } = message
  const retracted = { messageEventId, ...(rest.threadRootEventId && { threadRootEventId: rest.threadRootEventId }) }
  return {
    ...baseOf(header, id, 'message_retracted'),
    ...detailOf(removed),
    fact: {
      case: 'messageRetracted',
      value: { roomSeq: header.place, messageEventId, ...rest, ...toRemovedFields(removed) },
    },
    deliveries: [toDelivery('message_retracted', header, id, retracted), ...toAssetsDeleted(header, removed)],
  }
}

export function toReactionEvent(
  header: ChangeHeader,
  kind: 'reaction_added' | 'reaction_removed',
  reaction: { eventId: string; emoji: string },
): OutgoingEvent {
  const id = newId('event')
  const { room, place, actorId, at } = header
  const { eventId: messageEventId, emoji } = reaction
  const value = { roomId: room.roomId, messageEventId, emoji }
  return {
    ...baseOf(header, id, kind),
    fact: { case: 'reaction', value: { roomSeq: place, messageEventId, emoji } },
    deliveries: [roomDelivery(room, encodeRealtimeEnvelope(kind, { id, createdAt: at, actorId, value }))],
  }
}

const baseOf = ({ room, place, actorId, at }: ChangeHeader, id: string, kind: string) =>
  ({ id, kind, aggregateType: 'room', aggregateId: room.roomId, version: place, occurredAt: at, actorId }) as const

/** Uploads consumes only events without a `detail`. */
const detailOf = ({ assetIds, previewImageKey }: Removed): Pick<OutgoingEvent, 'detail'> =>
  assetIds.length > 0 || previewImageKey !== '' ? {} : { detail: 'text' }

const toRemovedFields = ({ assetIds, previewImageKey }: Removed) => ({
  removedAssetIds: [...assetIds],
  removedLinkPreviewImageKey: previewImageKey,
})

function toDelivery(
  kind: 'message_edited' | 'message_retracted',
  { room, actorId, at }: ChangeHeader,
  id: string,
  message: { messageEventId: string; threadRootEventId?: string },
): DeliveryInit {
  const value = { roomId: room.roomId, ...message }
  return roomDelivery(room, encodeRealtimeEnvelope(kind, { id, createdAt: at, actorId, value }))
}

function toAssetsDeleted({ room, actorId, at }: ChangeHeader, { assetIds }: Removed): DeliveryInit[] {
  return assetIds.map((assetId) => {
    const value = { roomId: room.roomId, assetId }
    return roomDelivery(
      room,
      encodeRealtimeEnvelope('asset_deleted', { id: newId('event'), createdAt: at, actorId, value }),
    )
  })
}
