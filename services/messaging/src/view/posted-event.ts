import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MessagePostedFactSchema } from '@parley/contracts/internal'
import { toOutboxRow, encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import { roomSeqPlaceholder, findHoles, type EntryWithHoles } from '../domain/entry-holes.ts'
import { isDm, type RoomHeader } from '../domain/room-header.ts'
import { encodeDelivery, roomDelivery, userDelivery } from './deliveries.ts'

export type PostedMessage = {
  eventId: string
  actorId: string
  createdAt: Date
  inReplyTo: string
  threadRootEventId: string
  echoOfEventId: string
  traceparent?: string
}

type PostedFact = MessageInitShape<typeof MessagePostedFactSchema>

export type PostedDetails = Pick<
  PostedFact,
  | 'attachmentAssetIds'
  | 'linkPreviewImageKey'
  | 'mentions'
  | 'mentionsPending'
  | 'inReplyToAuthorId'
  | 'threadFollowerIds'
  | 'manyThreadFollowers'
>

type Options = { markedAsRead: boolean; details?: PostedDetails }

/** Both holes, the version of the event and `room_seq` of the fact, receive the place of the message in the log. */
export function toPostedEntry(room: RoomHeader, posted: PostedMessage, options: Options): EntryWithHoles {
  const entry = toOutboxRow(toPostedEvent(room, posted, { ...options, place: roomSeqPlaceholder.value }))
  return { ...entry, holes: findHoles(entry.payload, roomSeqPlaceholder, 2) }
}

/** With `markedAsRead`, the event also tells the author's clients that the room is read up to this message. */
export function toPostedEvent(
  room: RoomHeader,
  posted: PostedMessage,
  { markedAsRead, place, details }: Options & { place: bigint },
): OutgoingEvent {
  const { eventId, actorId, createdAt, threadRootEventId, traceparent = '' } = posted
  const value = { roomId: room.roomId, messageEventId: eventId, ...(threadRootEventId && { threadRootEventId }) }
  const envelope = encodeRealtimeEnvelope('message_posted', { id: eventId, createdAt, actorId, value })
  return {
    id: eventId,
    kind: 'message_posted',
    ...(!showsFile(details) && { detail: 'text' }),
    aggregateType: 'room',
    aggregateId: room.roomId,
    version: place,
    occurredAt: createdAt,
    actorId,
    fact: { case: 'messagePosted', value: toPostedFact(room, posted, place, details) },
    deliveries: [
      roomDelivery(room, envelope),
      ...(markedAsRead ? [userDelivery(actorId, toReadEnvelope(room, posted))] : []),
    ],
    traceparent,
  }
}

/** Uploads consumes only events of messages with a file or a preview image. */
const showsFile = ({ attachmentAssetIds = [], linkPreviewImageKey = '' }: PostedDetails = {}): boolean =>
  attachmentAssetIds.length > 0 || linkPreviewImageKey !== ''

export function toPostedFact(
  room: RoomHeader,
  { inReplyTo, threadRootEventId, echoOfEventId }: PostedMessage,
  roomSeq: bigint,
  details: PostedDetails = {},
): PostedFact {
  const dmParticipantIds = isDm(room) ? [...room.participantIds] : []
  return { roomSeq, threadRootEventId, inReplyTo, echoOfEventId, dmParticipantIds, ...details }
}

function toReadEnvelope(room: RoomHeader, { actorId, createdAt }: PostedMessage): Uint8Array {
  const value = { roomId: room.roomId }
  return encodeRealtimeEnvelope('room_marked_as_read', { id: newId('event'), createdAt, actorId, value })
}

type InThread = Pick<PostedMessage, 'actorId' | 'createdAt' | 'threadRootEventId'>

/** Appended to the event of a reply if the reply is the first of its thread. */
export function encodeThreadCreated(room: RoomHeader, { actorId, createdAt, threadRootEventId }: InThread): Buffer {
  const value = { roomId: room.roomId, threadRootEventId }
  const envelope = encodeRealtimeEnvelope('thread_created', { id: newId('event'), createdAt, actorId, value })
  return encodeDelivery(roomDelivery(room, envelope))
}

/** Appended to the event of a reply if the reply makes the user follow the thread. */
export function encodeThreadFollowed(room: RoomHeader, reply: Omit<InThread, 'actorId'>, userId: string): Buffer {
  const { createdAt, threadRootEventId } = reply
  const value = { roomId: room.roomId, threadRootEventId, following: true }
  const event = { id: newId('event'), createdAt, actorId: userId, value }
  return encodeDelivery(userDelivery(userId, encodeRealtimeEnvelope('thread_follow_changed', event)))
}
