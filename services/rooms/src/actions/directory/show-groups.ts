import type { Subject } from '@parley/permissions'
import type { RoomGroup } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { findItems } from '../../store/layout.ts'
import type { GroupRow } from '../../store/rows.ts'
import { findRooms } from '../../store/rooms.ts'
import { toRoomGroups } from '../../view/group.ts'
import { loadVisibleRooms } from './load-visible-rooms.ts'

/**
 * Shows groups in the given order, without archived rooms. The number of queries does not depend on the number of
 * rooms.
 */
export async function showGroups(ctx: Context, viewer: Subject, groups: readonly GroupRow[]): Promise<RoomGroup[]> {
  const items = await findItems(
    ctx.db,
    groups.map(({ id }) => id),
  )
  const roomIds = items.flatMap(({ itemId, link }) => (link ? [] : [itemId]))
  const active = (await findRooms(ctx.db, viewer.userId, roomIds)).filter(({ room }) => !room.archived)
  const { visible, viewer: roomViewer } = await loadVisibleRooms(ctx, viewer, active)
  return toRoomGroups(groups, items, visible, roomViewer)
}
