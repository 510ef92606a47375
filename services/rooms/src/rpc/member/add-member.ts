import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideAddition, assertCanManage } from '../../policy/management.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { toDirectoryMember } from '../../view/member.ts'

export function addMember(ctx: Context): MethodImpl<typeof RoomService.method.addMember> {
  return async ({ roomId, userId }, call) => {
    const caller = callerOf(call)
    const cause = { actorId: caller.userId, at: ctx.now() }
    const { room } = await ctx.readRoom(userId, roomId, caller.userId)
    assertCanManage(ctx.policy.current(), caller, toPolicyRoom(room))
    const profile = await getProfile(ctx.accounts, userId)
    await makeChange(
      ctx,
      {
        roomId,
        userId,
        cause,
        decide: ({ room, standing }) => decideAddition(ctx.policy.current(), caller, toPolicyRoom(room), standing),
        isAbout: isFactOf(['created', 'universal', 'joined'], userId),
        write: 'join',
      },
      call,
    )
    return { member: toDirectoryMember(profile, ctx.policy.current()) }
  }
}
