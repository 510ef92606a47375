import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { isDm } from '../../domain/room-header.ts'
import { roomNotFound, threadRootNotAnId } from '../../errors.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import { findStanding } from '../../store/rooms.ts'

export function updateTypingIndicator(ctx: Context): MethodImpl<typeof RoomService.method.updateTypingIndicator> {
  return async ({ roomId, threadRootEventId }, call) => {
    const caller = callerOf(call)
    const found = looksLikeId(roomId) ? await findStanding(ctx.pool, roomId, caller.userId) : undefined
    if (!found) throw roomNotFound()
    const { room, standing } = found
    assertMayRead(ctx.policy(), caller, room, standing)
    // Checked because the id is sent to everyone in the room.
    if (threadRootEventId && !looksLikeId(threadRootEventId)) throw threadRootNotAnId()
    const dmParticipantIds = isDm(room) ? [...room.participantIds] : []
    ctx.notifyTyping({ roomId, userId: caller.userId, threadRootEventId, dmParticipantIds })
    return { updated: true }
  }
}
