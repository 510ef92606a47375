import type { User } from '@parley/contracts/api'
import { encodeRealtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { Message } from '../domain/message.ts'
import type { Dismissed } from '../store/dismissals.ts'
import type { Created } from '../store/new-notifications.ts'

export type ShardChange = { shard: number; version: bigint; at: Date }

export function toCreatedEvent(change: ShardChange, message: Message, created: readonly Created[]): OutgoingEvent {
  const { roomId, eventId, inReplyTo, actorId, traceparent = '' } = message
  const deliveries = created.map(({ id, userId, kind, silent }) => {
    const inReplyToId = kind === 'reply' && inReplyTo ? { inReplyToId: inReplyTo } : {}
    const value = { notificationId: id, roomId, eventId, silent, ...inReplyToId }
    const event = { id: newId('event'), createdAt: change.at, actorId, value }
    return toUsers([userId], encodeRealtimeEnvelope('notification_created', event))
  })
  return { ...base(change, 'notification_created', actorId), deliveries, traceparent }
}

/**
 * With these, clients can show a mention or direct message without another call. `others`: number of participants of
 * the direct message besides the sender and the recipient.
 */
export type DisplayDetails = {
  roomName: string
  sender: User | undefined
  others: number
}

/**
 * The event for people who are mentioned or get a direct message, except those whose status is do-not-disturb;
 * undefined if there are none. The event contains the sender's name, so its aggregate is the sender: when the sender's
 * account is deleted, the event is removed from the stream.
 */
export function toPeopleCalledEvent(
  { actorId, roomId, traceparent = '' }: Message,
  { roomName, sender, others }: DisplayDetails,
  created: readonly Created[],
  at: Date,
): OutgoingEvent | undefined {
  const audibleFor = (kind: Created['kind']) =>
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
    ...deliverIfAny(audibleFor('mention'), () =>
      encodeRealtimeEnvelope('mention_notification', { id: newId('event'), ...envelope, value: mention }),
    ),
    ...deliverIfAny(audibleFor('direct_message'), () =>
      encodeRealtimeEnvelope('new_direct_message_notification', { id: newId('event'), ...envelope, value: direct }),
    ),
  ]
  if (deliveries.length === 0) return undefined
  return {
    ...{ kind: 'people_called', aggregateType: 'notification', aggregateId: actorId, version: BigInt(at.getTime()) },
    ...{ occurredAt: at, actorId, fact: { case: undefined }, deliveries, traceparent },
  }
}

export function toDismissedEvent(change: ShardChange, dismissed: readonly Dismissed[]): OutgoingEvent {
  const deliveries = dismissed.map(({ id, userId }) => {
    const event = { id: newId('event'), createdAt: change.at, actorId: userId, value: { notificationId: id } }
    return toUsers([userId], encodeRealtimeEnvelope('notification_dismissed', event))
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

const deliverIfAny = (userIds: string[], envelope: () => Uint8Array): DeliveryInit[] =>
  userIds.length > 0 ? [toUsers(userIds, envelope())] : []
