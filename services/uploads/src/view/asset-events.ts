import { newId } from '@parley/ids'
import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import type { AssetRow } from '../store/assets.ts'

type AssetRef = Pick<AssetRow, 'id' | 'roomId' | 'ownerId'>

export function assetCreated({ id, roomId, ownerId }: AssetRef, now: Date): OutgoingEvent {
  const properties = { kind: 'asset_created', aggregateType: 'asset', aggregateId: id, version: 1n } as const
  return { ...properties, occurredAt: now, actorId: ownerId, fact: details(roomId) }
}

/** Only the owner is notified: no message shows the file. */
export function assetExpired({ id, roomId, ownerId }: AssetRef, now: Date): OutgoingEvent {
  const eventId = newId('event')
  const envelope = encodeRealtimeEnvelope('asset_deleted', {
    id: eventId,
    createdAt: now,
    value: { roomId, assetId: id },
  })
  return {
    ...{ id: eventId, kind: 'asset_deleted', aggregateType: 'asset', aggregateId: id, version: 2n },
    ...{ occurredAt: now, actorId: '', fact: details(roomId) },
    deliveries: [{ envelope, audience: { case: 'users', value: { userIds: [ownerId] } } }],
  }
}

const details = (roomId: string) => ({ case: 'details' as const, value: { details: { room_id: roomId } } })
