import type { MethodImpl } from '@connectrpc/connect'
import type { VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showCalls } from '../../actions/calls/show-calls.ts'
import type { Context } from '../../context.ts'
import { findActiveCalls } from '../../store/calls.ts'

export function batchGetActiveCalls(ctx: Context): MethodImpl<typeof VoiceCallService.method.batchGetActiveCalls> {
  return async ({ roomIds }, call) => {
    if (!ctx.media) return { calls: [] }
    const ids = [...new Set(roomIds)]
    const [active, rooms] = await Promise.all([
      findActiveCalls(ctx.db, ids),
      ctx.rooms.listAccessible(callerOf(call), ids),
    ])
    const byRoom = new Map(active.map((row) => [row.roomId, row]))
    const inOrder = ids.flatMap((roomId) => byRoom.get(roomId) ?? [])
    return { calls: await showCalls(ctx, inOrder, rooms) }
  }
}
