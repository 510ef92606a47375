import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { decide } from '../../actions/reading/follow.ts'

export function followThread(ctx: Context): MethodImpl<typeof ThreadService.method.followThread> {
  return async ({ roomId, threadRootEventId }, call) => {
    await decide(ctx, callerOf(call), { roomId, rootEventId: threadRootEventId }, true)
    return { following: true, state: { roomId, threadRootEventId, following: true } }
  }
}
