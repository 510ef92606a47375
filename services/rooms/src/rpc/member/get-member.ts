import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findMembers, getRoomOfMember } from '../../actions/directory/members.ts'
import { memberNotFound } from '../../errors.ts'

export function getMember(ctx: Context): MethodImpl<typeof RoomService.method.getMember> {
  return async ({ roomId, userId }, call) => {
    const room = await getRoomOfMember(ctx, callerOf(call), roomId)
    const [member] = await findMembers(ctx, room, [userId])
    if (!member) throw memberNotFound()
    return { member }
  }
}
