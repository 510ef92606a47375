import type { MethodImpl } from '@connectrpc/connect'
import type { RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { loadVisibleRooms } from '../../actions/directory/load-visible-rooms.ts'
import type { Context } from '../../context.ts'
import { roomHidden } from '../../errors.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'
import { toRoomWithViewerState } from '../../view/room.ts'

export function getRoom(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.getRoom> {
  return async ({ roomId }, call) => {
    const caller = callerOf(call)
    const found = await getRoomWithStanding(ctx.db, caller.userId, roomId)
    const { visible, viewer } = await loadVisibleRooms(ctx, caller, [found])
    if (visible.length === 0) throw roomHidden()
    return { room: toRoomWithViewerState(found, viewer) }
  }
}
