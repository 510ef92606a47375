import type { MethodImpl } from '@connectrpc/connect'
import type { VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showCalls } from '../../actions/calls/show-calls.ts'
import type { Context } from '../../context.ts'
import { findActiveCall } from '../../store/calls.ts'

export function listCallParticipants(ctx: Context): MethodImpl<typeof VoiceCallService.method.listCallParticipants> {
  return async ({ roomId }, call) => {
    const room = await ctx.rooms.assertMember(callerOf(call), roomId)
    if (!ctx.media) return { participants: [] }
    const active = await findActiveCall(ctx.db, roomId)
    const [shown] = active ? await showCalls(ctx, [active], new Map([[roomId, room]])) : []
    return { participants: shown?.participants ?? [] }
  }
}
