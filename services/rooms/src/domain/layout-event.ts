import { newId } from '@parley/ids'
import { realtimeEnvelope, type OutgoingEvent } from '@parley/events'
import type { Cause } from './room-fact.ts'

/** Tells everyone that groups, links or their order changed; the group is empty when the order of groups did. */
export function roomGroupsUpdated(
  layoutVersion: bigint,
  changed: { groupId: string; roomId: string },
  cause: Cause,
): OutgoingEvent {
  const id = newId('event')
  const { actorId, at } = cause
  const envelope = realtimeEnvelope('room_groups_updated', { id, createdAt: at, actorId, value: { changed: true } })
  return {
    id,
    kind: 'room_groups_updated',
    aggregateType: 'layout',
    aggregateId: 'server',
    version: layoutVersion,
    occurredAt: at,
    actorId,
    fact: { case: 'layoutChanged', value: changed },
    deliveries: [{ envelope, audience: { case: 'everyone', value: true } }],
  }
}
