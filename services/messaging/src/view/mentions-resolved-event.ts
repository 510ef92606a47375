import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { RoomHeader } from '../domain/room-header.ts'
import { userDelivery } from './deliveries.ts'
import { toPostedFact, type PostedMessage, type PostedDetails } from './posted-event.ts'

export type MentionsResolved = {
  id: string
  occurredAt: Date
  roomSeq: bigint
  messageSeq: bigint
  message: PostedMessage
  details: PostedDetails
  newFollowerIds: readonly string[]
}

/** Its only deliveries tell new followers that they follow the thread. */
export function toMentionsResolvedEvent(room: RoomHeader, resolved: MentionsResolved): OutgoingEvent {
  const { id, occurredAt, roomSeq, messageSeq, message, details, newFollowerIds } = resolved
  return {
    id,
    kind: 'mentions_resolved',
    aggregateType: 'room',
    aggregateId: room.roomId,
    version: roomSeq,
    occurredAt,
    actorId: '',
    fact: {
      case: 'mentionsResolved',
      value: {
        roomSeq,
        messageEventId: message.eventId,
        posted: toPostedFact(room, message, messageSeq, details),
        messageRoomSeq: messageSeq,
        authorId: message.actorId,
      },
    },
    deliveries: newFollowerIds.map((userId) => {
      const value = { roomId: room.roomId, threadRootEventId: message.threadRootEventId, following: true }
      const event = { id: newId('event'), createdAt: occurredAt, actorId: userId, value }
      return userDelivery(userId, encodeRealtimeEnvelope('thread_follow_changed', event))
    }),
  }
}
