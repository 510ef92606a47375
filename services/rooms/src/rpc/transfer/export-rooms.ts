import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import { may, roomScope, type Policy } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { findRoomsAfter } from '../../store/imported-rooms.ts'
import type { RoomRow } from '../../store/rows.ts'

const pageSize = 500

export function exportRooms(ctx: Context): MethodImpl<typeof RoomsTransferService.method.exportRooms> {
  return async ({ after, idsOrNames }) => {
    const rooms = await findRoomsAfter(ctx.db, after, idsOrNames, pageSize)
    const policy = ctx.policy.current()
    return {
      rooms: rooms.map((room) => {
        const { id, kind, name, description, groupId, universal, archived, createdAt } = room
        const head = { roomId: id, dm: kind === RoomKind.DM, name, description, groupId: groupId ?? '' }
        return {
          ...head,
          private: isPrivate(policy, room),
          universal,
          archived,
          createdAt: timestampFromDate(createdAt),
        }
      }),
    }
  }
}

/**
 * Whether a user with no role but `everyone` lacks room.list or room.join. An import of the room denies everyone both.
 */
function isPrivate(policy: Policy, room: RoomRow): boolean {
  if (room.kind === RoomKind.DM) return false
  const anybody = { userId: '', roleIds: [] }
  const scope = roomScope(toPolicyRoom(room))
  return !may(policy, anybody, 'room.list', scope) || !may(policy, anybody, 'room.join', scope)
}
