import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { setFollowing } from '../../actions/reading/set-following.ts'

export function unfollowThread(ctx: Context): MethodImpl<typeof ThreadService.method.unfollowThread> {
  return async ({ roomId, threadRootEventId }, call) => {
    await setFollowing(ctx, callerOf(call), { roomId, rootEventId: threadRootEventId }, false)
    return { following: false, state: { roomId, threadRootEventId, following: false } }
  }
}
