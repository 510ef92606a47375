import type { MethodImpl } from '@connectrpc/connect'
import type { VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showCalls } from '../../actions/calls/show-calls.ts'
import type { Context } from '../../context.ts'
import { noActiveCall } from '../../errors.ts'
import { findActiveCall } from '../../store/calls.ts'

export function getActiveCall(ctx: Context): MethodImpl<typeof VoiceCallService.method.getActiveCall> {
  return async ({ roomId }, call) => {
    if (!ctx.media) throw noActiveCall()
    const room = await ctx.rooms.assertMember(callerOf(call), roomId)
    const active = await findActiveCall(ctx.db, roomId)
    if (!active) throw noActiveCall()
    const [shown] = await showCalls(ctx, [active], new Map([[roomId, room]]))
    return { call: shown }
  }
}
