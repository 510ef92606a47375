import { realtimeEnvelope, type DeliveryInit, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { Message } from '../domain/message.ts'
import type { Dismissed } from '../store/dismissals.ts'
import type { Created } from '../store/new-notifications.ts'

/** A shard of users, at a version. */
export type ShardChange = { shard: number; version: bigint; at: Date }

/** Tells users of one shard of a message. No names of people: they would outlive a deletion on the stream. */
export function toCreatedEvent(
  change: ShardChange,
  message: Message,
  roomName: string,
  created: readonly Created[],
): OutgoingEvent {
  const { roomId, eventId, inReplyTo, actorId } = message
  const envelope = { createdAt: change.at, actorId }
  const told = created.map(({ id, userId, kind, silent }) => {
    const inReplyToId = kind === 'reply' && inReplyTo ? { inReplyToId: inReplyTo } : {}
    const value = { notificationId: id, roomId, eventId, silent, ...inReplyToId }
    return toUsers([userId], realtimeEnvelope('notification_created', { id: newId('event'), ...envelope, value }))
  })
  const aloud = (kind: Created['kind']) =>
    created.filter((one) => one.kind === kind && !one.silent).map(({ userId }) => userId)
  const mention = { roomId, actorUserId: actorId, ...(roomName && { roomName }) }
  const direct = { roomId, senderId: actorId }
  return {
    ...base(change, 'notification_created', actorId),
    deliveries: [
      ...told,
      ...aside(aloud('mention'), () =>
        realtimeEnvelope('mention_notification', { id: newId('event'), ...envelope, value: mention }),
      ),
      ...aside(aloud('direct_message'), () =>
        realtimeEnvelope('new_direct_message_notification', { id: newId('event'), ...envelope, value: direct }),
      ),
    ],
  }
}

/** Tells users of one shard what is pending no longer. */
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
