import type { NotificationLevel } from '@parley/contracts/api'
import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'

export type LevelChange = {
  userId: string
  roomId: string
  version: bigint
  at: Date
  level: NotificationLevel
  effectiveLevel: NotificationLevel
  cleared: boolean
}

export function toLevelEvent({
  userId,
  roomId,
  version,
  at,
  level,
  effectiveLevel,
  cleared,
}: LevelChange): OutgoingEvent {
  const id = newId('event')
  const value = { roomId, level, effectiveLevel }
  const envelope = encodeRealtimeEnvelope('notification_level_changed', { id, createdAt: at, actorId: userId, value })
  return {
    id,
    kind: `user_${roomId ? 'room' : 'server'}_notification_level_${cleared ? 'cleared' : 'set'}`,
    ...{ aggregateType: 'preference', aggregateId: userId, version, occurredAt: at, actorId: userId },
    fact: { case: 'notificationLevel', value: { roomId, level } },
    deliveries: [{ envelope, audience: { case: 'users', value: { userIds: [userId] } } }],
  }
}
