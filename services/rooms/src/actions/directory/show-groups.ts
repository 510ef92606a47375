import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { findItems } from '../../store/layout.ts'
import type { GroupRow } from '../../store/rows.ts'
import { findActiveChannelsOfGroups } from '../../store/room-list.ts'
import { toRoomGroups, type ShownGroup } from '../../view/group.ts'
import { loadVisibleRooms } from './load-visible-rooms.ts'

/**
 * Shows groups in the given order, without archived rooms. The number of queries does not depend on the number of
 * rooms.
 */
export async function showGroups(ctx: Context, viewer: Subject, groups: readonly GroupRow[]): Promise<ShownGroup[]> {
  const groupIds = groups.map(({ id }) => id)
  const [items, channels] = await Promise.all([
    findItems(ctx.db, groupIds),
    findActiveChannelsOfGroups(ctx.pool, viewer.userId, groupIds),
  ])
  const { visible, viewer: roomViewer } = await loadVisibleRooms(ctx, viewer, channels)
  return toRoomGroups(groups, items, visible, roomViewer)
}
