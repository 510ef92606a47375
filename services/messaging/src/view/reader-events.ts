import { realtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import { toUser } from './deliveries.ts'

/** A change that concerns only one user, with that user's version. */
export type ReaderChange = { userId: string; version: bigint; at: Date }

type Thread = { roomId: string; rootEventId: string }

export function toRoomReadEvent(change: ReaderChange, roomId: string, upToRoomSeq: bigint): OutgoingEvent {
  const { userId, at } = change
  const event = base(change, 'room_marked_as_read')
  const envelope = realtimeEnvelope('room_marked_as_read', {
    ...{ id: event.id, createdAt: at, actorId: userId },
    value: { roomId },
  })
  return { ...event, fact: { case: 'read', value: { roomId, upToRoomSeq } }, deliveries: [toUser(userId, envelope)] }
}

/** Not sent to clients, which have no event for it. */
export function toThreadReadEvent(change: ReaderChange, thread: Thread, upToRoomSeq: bigint): OutgoingEvent {
  const { roomId, rootEventId: threadRootEventId } = thread
  const fact = { case: 'read', value: { roomId, threadRootEventId, upToRoomSeq } } as const
  return { ...base(change, 'thread_marked_as_read'), fact }
}

export function toFollowEvent(change: ReaderChange, thread: Thread, following: boolean): OutgoingEvent {
  const { userId, at } = change
  const value = { roomId: thread.roomId, threadRootEventId: thread.rootEventId, following }
  const event = base(change, following ? 'thread_followed' : 'thread_unfollowed')
  const envelope = realtimeEnvelope('thread_follow_changed', {
    ...{ id: event.id, createdAt: at, actorId: userId },
    value,
  })
  return { ...event, fact: { case: 'threadFollow', value }, deliveries: [toUser(userId, envelope)] }
}

const base = ({ userId, version, at }: ReaderChange, kind: string) =>
  ({
    id: newId('event'),
    kind,
    aggregateType: 'reader',
    aggregateId: userId,
    version,
    occurredAt: at,
    actorId: userId,
  }) as const
