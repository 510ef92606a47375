import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideLeave } from '../../policy/membership.ts'
import { toPolicyRoom } from '../../policy/standing.ts'

export function leaveRoom(ctx: Context): MethodImpl<typeof RoomService.method.leaveRoom> {
  return async ({ roomId }, call) => {
    const { userId } = callerOf(call)
    const cause = { actorId: userId, at: ctx.now() }
    await makeChange(
      ctx,
      {
        roomId,
        userId,
        cause,
        decide: ({ room, standing }) => decideLeave(toPolicyRoom(room), standing),
        isAbout: isFactOf(['universal', 'left', 'banned'], userId),
        write: 'leave',
      },
      call,
    )
    return { left: true }
  }
}
