import type { MethodImpl } from '@connectrpc/connect'
import type { VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { changeCall, leaveCall as leave } from '../../actions/calls/change-call.ts'
import type { Context } from '../../context.ts'
import { findActiveCall } from '../../store/calls.ts'

export function leaveCall(ctx: Context): MethodImpl<typeof VoiceCallService.method.leaveCall> {
  return async ({ roomId }, call) => {
    const caller = callerOf(call)
    await ctx.rooms.assertMember(caller, roomId)
    if (!ctx.media) return { left: false }
    const active = await findActiveCall(ctx.db, roomId)
    const about = { source: 'user', userIds: [caller.userId] } as const
    if (active) await changeCall(ctx, active.id, about, (locked) => leave(locked, caller.userId))
    return { left: true }
  }
}
