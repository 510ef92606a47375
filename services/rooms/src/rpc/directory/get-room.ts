import type { MethodImpl } from '@connectrpc/connect'
import type { RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { lookAt } from '../../directory/look-at.ts'
import type { Context } from '../../context.ts'
import { roomHidden, roomNotFound } from '../../errors.ts'
import { findRoom } from '../../store/seen-rooms.ts'
import { toRoomWithViewerState } from '../../view/room.ts'

export function getRoom(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.getRoom> {
  return async ({ roomId }, call) => {
    const caller = callerOf(call)
    const seen = await findRoom(ctx.db, caller.userId, roomId)
    if (!seen) throw roomNotFound()
    const { visible, viewer } = await lookAt(ctx, caller, [seen])
    if (visible.length === 0) throw roomHidden()
    return { room: toRoomWithViewerState(seen, viewer) }
  }
}
