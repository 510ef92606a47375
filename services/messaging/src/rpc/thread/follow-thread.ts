import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { setFollowing } from '../../actions/reading/set-following.ts'

export function followThread(ctx: Context): MethodImpl<typeof ThreadService.method.followThread> {
  return async ({ roomId, threadRootEventId }, call) => {
    await setFollowing(ctx, callerOf(call), { roomId, rootEventId: threadRootEventId }, true)
    return { following: true, state: { roomId, threadRootEventId, following: true } }
  }
}
