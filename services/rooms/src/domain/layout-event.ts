import { newId } from '@parley/ids'
import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import type { Cause } from './room-fact.ts'

/**
 * Tells everyone that groups, their rooms or links, or an order changed. `groupId` is empty if the order of groups
 * changed; `roomId` is empty unless the change is about one room.
 */
export function roomGroupsUpdated(
  layoutVersion: bigint,
  changed: { groupId: string; roomId: string },
  cause: Cause,
): OutgoingEvent {
  const id = newId('event')
  const { actorId, at } = cause
  const envelope = encodeRealtimeEnvelope('room_groups_updated', {
    id,
    createdAt: at,
    actorId,
    value: { changed: true },
  })
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

/** An event for the audit log and other services. Contains ids, but no names. */
export type LayoutAuditEvent = Pick<OutgoingEvent, 'kind' | 'aggregateType' | 'aggregateId' | 'fact'>

export function toAuditEvent(event: LayoutAuditEvent, layoutVersion: bigint, { actorId, at }: Cause): OutgoingEvent {
  return { ...event, version: layoutVersion, occurredAt: at, actorId }
}

const groupEvent = (kind: string, groupId: string, details: Record<string, string> = {}): LayoutAuditEvent => {
  return { kind, aggregateType: 'group', aggregateId: groupId, fact: { case: 'details', value: { details } } }
}

export const groupCreated = (groupId: string): LayoutAuditEvent => groupEvent('room_group_created', groupId)
export const groupUpdated = (groupId: string): LayoutAuditEvent => groupEvent('room_group_updated', groupId)
export const groupDeleted = (groupId: string): LayoutAuditEvent => groupEvent('room_group_deleted', groupId)

export function groupsReordered(groupIds: readonly string[]): LayoutAuditEvent {
  const details = { group_ids: groupIds.join(' ') }
  const fact = { case: 'details', value: { details } } as const
  return { kind: 'room_groups_reordered', aggregateType: 'layout', aggregateId: 'server', fact }
}

export const itemsReordered = (groupId: string, itemIds: readonly string[]): LayoutAuditEvent =>
  groupEvent('sidebar_group_entries_reordered', groupId, { item_ids: itemIds.join(' ') })

export const roomsReordered = (groupId: string, roomIds: readonly string[]): LayoutAuditEvent =>
  groupEvent('rooms_in_group_reordered', groupId, { room_ids: roomIds.join(' ') })

/** Names only the old group: the `moved` fact of the room contains the new one. */
export const roomRemoved = (groupId: string, roomId: string): LayoutAuditEvent =>
  groupEvent('room_removed_from_group', groupId, { room_id: roomId })

export const linkAdded = (groupId: string, linkId: string): LayoutAuditEvent =>
  groupEvent('sidebar_link_added_to_group', groupId, { link_id: linkId })
export const linkUpdated = (groupId: string, linkId: string): LayoutAuditEvent =>
  groupEvent('sidebar_link_updated', groupId, { link_id: linkId })
export const linkRemoved = (groupId: string, linkId: string): LayoutAuditEvent =>
  groupEvent('sidebar_link_removed_from_group', groupId, { link_id: linkId })
