import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { toBanReason } from '../../domain/ban-reason.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideUnban } from '../../policy/banning.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { endBan } from '../../store/bans.ts'
import { changeRoom } from '../../store/changes.ts'

export function unbanMember(ctx: Context): MethodImpl<typeof RoomService.method.unbanMember> {
  return async ({ roomId, userId, reason: untrimmed }, call) => {
    const reason = toBanReason(untrimmed)
    const caller = callerOf(call)
    const cause = { actorId: caller.userId, at: ctx.now() }
    await makeChange(
      ctx,
      {
        roomId,
        userId,
        cause,
        decide: ({ room, standing }) => decideUnban(ctx.policy.current(), caller, toPolicyRoom(room), standing),
        isAbout: isFactOf(['unbanned', 'banExpired'], userId),
        write: async (tx, room) => {
          const changed = await changeRoom(tx, room, { case: 'unbanned', value: { userId } }, cause)
          await endBan(tx, { roomId, userId, version: changed.room.version, at: cause.at, reason })
          return changed
        },
      },
      call,
    )
    return { unbanned: true }
  }
}
