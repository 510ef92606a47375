import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { may, type Policy, type Subject } from '@parley/permissions'
import {
  AdminRoomLayoutGroupSchema,
  type AdminRoomLayoutGroup,
  type AdminRoomLayoutItemSchema,
} from '@parley/contracts/admin'
import type { PlacedItem } from '../store/layout.ts'
import type { GroupRow } from '../store/rows.ts'
import { toRoom } from './room.ts'

type Item = MessageInitShape<typeof AdminRoomLayoutItemSchema>

export function toAdminGroups(
  groups: readonly GroupRow[],
  items: readonly PlacedItem[],
  policy: Policy,
  viewer: Subject,
): AdminRoomLayoutGroup[] {
  const byGroup = new Map<string, Item[]>(groups.map(({ id }) => [id, []]))
  for (const { groupId, room, link } of items) {
    if (link) byGroup.get(groupId)?.push({ item: { case: 'sidebarLink', value: link } })
    else if (room) byGroup.get(groupId)?.push({ item: { case: 'room', value: toRoom(room) } })
  }
  return groups.map(({ id, name, description }) =>
    create(AdminRoomLayoutGroupSchema, {
      id,
      name,
      description,
      items: byGroup.get(id) ?? [],
      canCreateRoom: may(policy, viewer, 'room.create', { kind: 'group', groupId: id }),
    }),
  )
}
