import type { MessageInitShape } from '@bufbuild/protobuf'
import { groupPermissions } from '@parley/permissions'
import type { RoomGroupSchema, RoomGroupItemSchema } from '@parley/contracts/api'
import type { ItemRow } from '../store/layout.ts'
import type { GroupRow, HeadWithStanding } from '../store/rows.ts'
import { toRoomWithViewerState, type Viewer } from './room.ts'

export type ShownGroup = MessageInitShape<typeof RoomGroupSchema> & { id: string }

/** Keeps the order; leaves out rooms that are not visible. */
export function toRoomGroups(
  groups: readonly GroupRow[],
  items: readonly ItemRow[],
  visible: readonly HeadWithStanding[],
  viewer: Viewer,
): ShownGroup[] {
  const rooms = new Map(visible.map((seen) => [seen.room.id, seen]))
  const shown = new Map<string, MessageInitShape<typeof RoomGroupItemSchema>[]>(groups.map(({ id }) => [id, []]))
  for (const { groupId, itemId, link } of items) {
    const room = rooms.get(itemId)
    if (link) shown.get(groupId)?.push({ item: { case: 'sidebarLink', value: link } })
    else if (room) shown.get(groupId)?.push({ item: { case: 'room', value: toRoomWithViewerState(room, viewer) } })
  }
  return groups.map(({ id, name, description }) => ({
    id,
    name,
    description,
    items: shown.get(id) ?? [],
    viewerState: { permissions: groupPermissions(viewer.policy, viewer.subject, id) },
  }))
}
