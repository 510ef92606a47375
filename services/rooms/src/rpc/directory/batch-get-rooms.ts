import type { MethodImpl } from '@connectrpc/connect'
import type { RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { loadVisibleRooms } from '../../actions/directory/load-visible-rooms.ts'
import type { Context } from '../../context.ts'
import { inOrderOfIds } from '../../domain/in-order.ts'
import { findRooms } from '../../store/rooms.ts'
import { toRoomWithViewerState } from '../../view/room.ts'

export function batchGetRooms(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.batchGetRooms> {
  return async ({ roomIds }, call) => {
    const caller = callerOf(call)
    const { visible, viewer } = await loadVisibleRooms(ctx, caller, await findRooms(ctx.db, caller.userId, roomIds))
    const rooms = inOrderOfIds(roomIds, visible, ({ room }) => room.id)
    return { rooms: rooms.map((seen) => toRoomWithViewerState(seen, viewer)) }
  }
}
