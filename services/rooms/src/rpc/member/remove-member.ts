import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideRemoval } from '../../policy/management.ts'
import { toPolicyRoom } from '../../policy/standing.ts'

export function removeMember(ctx: Context): MethodImpl<typeof RoomService.method.removeMember> {
  return async ({ roomId, userId }, call) => {
    const caller = callerOf(call)
    const cause = { actorId: caller.userId, at: ctx.now() }
    const { facts } = await makeChange(
      ctx,
      {
        roomId,
        userId,
        cause,
        decide: ({ room, standing }) => decideRemoval(ctx.policy.current(), caller, toPolicyRoom(room), standing),
        isAbout: isFactOf(['universal', 'left', 'banned'], userId),
        write: 'leave',
      },
      call,
    )
    return { removed: facts.length > 0 }
  }
}
