import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findMembers, getRoomOfMember } from '../../actions/directory/members.ts'

export function batchGetMembers(ctx: Context): MethodImpl<typeof RoomService.method.batchGetMembers> {
  return async ({ roomId, userIds }, call) => {
    const room = await getRoomOfMember(ctx, callerOf(call), roomId)
    return { members: await findMembers(ctx, room, userIds) }
  }
}
