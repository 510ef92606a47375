import type { User } from '@parley/contracts/api'
import { realtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { Message } from '../domain/message.ts'
import type { Dismissed } from '../store/dismissals.ts'
import type { Created } from '../store/new-notifications.ts'

/** A shard of users, at a version. */
export type ShardChange = { shard: number; version: bigint; at: Date }

/** Announces to users of one shard that a message notifies them. */
export function toCreatedEvent(change: ShardChange, message: Message, created: readonly Created[]): OutgoingEvent {
  const { roomId, eventId, inReplyTo, actorId, traceparent = '' } = message
  const deliveries = created.map(({ id, userId, kind, silent }) => {
    const inReplyToId = kind === 'reply' && inReplyTo ? { inReplyToId: inReplyTo } : {}
    const value = { notificationId: id, roomId, eventId, silent, ...inReplyToId }
    const event = { id: newId('event'), createdAt: change.at, actorId, value }
    return toUsers([userId], realtimeEnvelope('notification_created', event))
  })
  return { ...base(change, 'notification_created', actorId), deliveries, traceparent }
}

/** Details of a mention beyond ids, so that clients can show it without another call. */
export type Hints = {
  roomName: string
  /** The sender; undefined when unknown. */
  sender: User | undefined
  /** Further participants of a direct conversation besides sender and reader. */
  others: number
}

/**
 * Events for people who are mentioned or get a direct message. They contain the sender's name, so they are events of
 * the sender, removed from the stream when the sender's account is deleted. Undefined when there are no such people.
 */
export function toCalledEvent(
  { actorId, roomId, traceparent = '' }: Message,
  { roomName, sender, others }: Hints,
  created: readonly Created[],
  at: Date,
): OutgoingEvent | undefined {
  const aloud = (kind: Created['kind']) =>
    created.filter((one) => one.kind === kind && !one.silent).map(({ userId }) => userId)
  const name = sender?.displayName ?? ''
  const mention = {
    roomId,
    actorUserId: actorId,
    ...(roomName && { roomName }),
    ...(name && { actorDisplayName: name }),
  }
  const direct = {
    ...{ roomId, senderId: actorId },
    ...(name && { senderDisplayName: name, conversationName: others > 0 ? `${name} +${others}` : name }),
    ...(sender?.avatarUrl && { senderAvatarUrl: sender.avatarUrl }),
  }
  const envelope = { createdAt: at, actorId }
  const deliveries = [
    ...aside(aloud('mention'), () =>
      realtimeEnvelope('mention_notification', { id: newId('event'), ...envelope, value: mention }),
    ),
    ...aside(aloud('direct_message'), () =>
      realtimeEnvelope('new_direct_message_notification', { id: newId('event'), ...envelope, value: direct }),
    ),
  ]
  if (deliveries.length === 0) return undefined
  return {
    ...{ kind: 'people_called', aggregateType: 'notification', aggregateId: actorId, version: BigInt(at.getTime()) },
    ...{ occurredAt: at, actorId, fact: { case: undefined }, deliveries, traceparent },
  }
}

/** Announces to users of one shard which notifications are no longer pending. */
export function toDismissedEvent(change: ShardChange, dismissed: readonly Dismissed[]): OutgoingEvent {
  const deliveries = dismissed.map(({ id, userId }) => {
    const event = { id: newId('event'), createdAt: change.at, actorId: userId, value: { notificationId: id } }
    return toUsers([userId], realtimeEnvelope('notification_dismissed', event))
  })
  return { ...base(change, 'notification_dismissed', ''), deliveries }
}

const base = ({ shard, version, at }: ShardChange, kind: string, actorId: string) =>
  ({
    kind,
    aggregateType: 'notification',
    aggregateId: String(shard),
    version,
    occurredAt: at,
    actorId,
    fact: { case: undefined },
  }) as const

const toUsers = (userIds: string[], envelope: Uint8Array): DeliveryInit => ({
  envelope,
  audience: { case: 'users', value: { userIds } },
})

const aside = (userIds: string[], envelope: () => Uint8Array): DeliveryInit[] =>
  userIds.length > 0 ? [toUsers(userIds, envelope())] : []
