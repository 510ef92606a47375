import { newId } from '@parley/ids'
import { realtimeEnvelope, type OutgoingEvent } from '@parley/events'
import type { Cause } from './room-fact.ts'

/**
 * Announces to everyone that groups, links or their order changed; the group is empty when the order of groups changed.
 */
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

/** Details of the change for the audit log: only ids, no names of groups and links. */
export type LayoutNote = Pick<OutgoingEvent, 'kind' | 'aggregateType' | 'aggregateId' | 'fact'>

/** The lock of the layout orders the versions of all groups. */
export function noteEvent(note: LayoutNote, layoutVersion: bigint, { actorId, at }: Cause): OutgoingEvent {
  return { ...note, version: layoutVersion, occurredAt: at, actorId }
}

const ofGroup = (kind: string, groupId: string, details: Record<string, string> = {}): LayoutNote => {
  return { kind, aggregateType: 'group', aggregateId: groupId, fact: { case: 'details', value: { details } } }
}

export const groupCreated = (groupId: string): LayoutNote => ofGroup('room_group_created', groupId)
export const groupUpdated = (groupId: string): LayoutNote => ofGroup('room_group_updated', groupId)
export const groupDeleted = (groupId: string): LayoutNote => ofGroup('room_group_deleted', groupId)

export function groupsReordered(groupIds: readonly string[]): LayoutNote {
  const details = { group_ids: groupIds.join(' ') }
  const fact = { case: 'details', value: { details } } as const
  return { kind: 'room_groups_reordered', aggregateType: 'layout', aggregateId: 'server', fact }
}

export const itemsReordered = (groupId: string, itemIds: readonly string[]): LayoutNote =>
  ofGroup('sidebar_group_entries_reordered', groupId, { item_ids: itemIds.join(' ') })

/** An additional event if rooms changed their order. */
export const roomsReordered = (groupId: string, roomIds: readonly string[]): LayoutNote =>
  ofGroup('rooms_in_group_reordered', groupId, { room_ids: roomIds.join(' ') })

/** The fact of the room contains the new group. */
export const roomRemoved = (groupId: string, roomId: string): LayoutNote =>
  ofGroup('room_removed_from_group', groupId, { room_id: roomId })

export const linkAdded = (groupId: string, linkId: string): LayoutNote =>
  ofGroup('sidebar_link_added_to_group', groupId, { link_id: linkId })
export const linkUpdated = (groupId: string, linkId: string): LayoutNote =>
  ofGroup('sidebar_link_updated', groupId, { link_id: linkId })
export const linkRemoved = (groupId: string, linkId: string): LayoutNote =>
  ofGroup('sidebar_link_removed_from_group', groupId, { link_id: linkId })
