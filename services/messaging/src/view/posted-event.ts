import { outgoing, realtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import { anyPlace, findHoles, type PostedEntry } from '../domain/entry-holes.ts'
import { isDm, type RoomHeader } from '../domain/room-line.ts'
import { encodeRider, toRoom, toUser } from './deliveries.ts'

/** A message that is about to take its place. */
export type Posted = {
  eventId: string
  actorId: string
  createdAt: Date
  inReplyTo: string
  threadRootEventId: string
  echoOfEventId: string
}

/**
 * The outbox entry of a posted message, complete but for its place in the line, which the writing statement draws and
 * fills in.
 */
export function toPostedEntry(room: RoomHeader, posted: Posted, options: { markedAsRead: boolean }): PostedEntry {
  const entry = outgoing(toPostedEvent(room, posted, { ...options, place: anyPlace }))
  return { ...entry, holes: findHoles(entry.payload) }
}

/** The event of a posted message. With `markedAsRead` it also tells the author that the room is read up to here. */
export function toPostedEvent(
  room: RoomHeader,
  posted: Posted,
  { markedAsRead, place }: { markedAsRead: boolean; place: bigint },
): OutgoingEvent {
  const { eventId, actorId, createdAt, inReplyTo, threadRootEventId, echoOfEventId } = posted
  const value = { roomId: room.roomId, messageEventId: eventId, ...(threadRootEventId && { threadRootEventId }) }
  const envelope = realtimeEnvelope('message_posted', { id: eventId, createdAt, actorId, value })
  const dmParticipantIds = isDm(room) ? [...room.participantIds] : []
  return {
    id: eventId,
    kind: 'message_posted',
    aggregateType: 'room',
    aggregateId: room.roomId,
    version: place,
    occurredAt: createdAt,
    actorId,
    fact: {
      case: 'messagePosted',
      value: { roomSeq: place, threadRootEventId, inReplyTo, echoOfEventId, dmParticipantIds },
    },
    deliveries: [toRoom(room, envelope), ...(markedAsRead ? [toUser(actorId, toReadEnvelope(room, posted))] : [])],
  }
}

function toReadEnvelope(room: RoomHeader, { actorId, createdAt }: Posted): Uint8Array {
  const value = { roomId: room.roomId }
  return realtimeEnvelope('room_marked_as_read', { id: newId('event'), createdAt, actorId, value })
}

/** Bytes to put behind a reply's entry when it is the first of its thread. */
export function threadCreatedRider(room: RoomHeader, { actorId, createdAt, threadRootEventId }: Posted): Buffer {
  const value = { roomId: room.roomId, threadRootEventId }
  const envelope = realtimeEnvelope('thread_created', { id: newId('event'), createdAt, actorId, value })
  return encodeRider(toRoom(room, envelope))
}

/** Bytes to put behind a reply's entry when it makes the user follow the thread. */
export function threadFollowedRider(room: RoomHeader, posted: Posted, userId: string): Buffer {
  const { createdAt, threadRootEventId } = posted
  const value = { roomId: room.roomId, threadRootEventId, following: true }
  const event = { id: newId('event'), createdAt, actorId: userId, value }
  return encodeRider(toUser(userId, realtimeEnvelope('thread_follow_changed', event)))
}
