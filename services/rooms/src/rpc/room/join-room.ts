import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideJoin } from '../../policy/membership.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { toRoom } from '../../view/room.ts'

export function joinRoom(ctx: Context): MethodImpl<typeof RoomService.method.joinRoom> {
  return async ({ roomId }, call) => {
    const caller = callerOf(call)
    const { userId } = caller
    const cause = { actorId: userId, at: ctx.now() }
    const { room } = await makeChange(
      ctx,
      {
        roomId,
        userId,
        cause,
        decide: ({ room, standing }) => decideJoin(ctx.policy.current(), caller, toPolicyRoom(room), standing),
        isAbout: isFactOf(['created', 'universal', 'joined'], userId),
        write: 'join',
      },
      call,
    )
    return { room: toRoom(room) }
  }
}
