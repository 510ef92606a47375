import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { RoomHeader } from '../domain/room-header.ts'
import { userDelivery } from './deliveries.ts'
import { toPostedFact, type PostedMessage, type PostedDetails } from './posted-event.ts'

/** Mentions that were resolved after their message was posted. */
export type MentionsResolved = {
  /** Id of the event about them. */
  id: string
  occurredAt: Date
  /** Place of that event. */
  roomSeq: bigint
  /** Place of the message. */
  messageSeq: bigint
  message: PostedMessage
  details: PostedDetails
  /** Users who start to follow the thread because they are mentioned. */
  newFollowerIds: readonly string[]
}

/** The event of resolved mentions. Its only deliveries tell each new follower that they follow the thread. */
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
