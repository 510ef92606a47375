import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { react } from '../../actions/room-log/react.ts'
import { toReaction } from '../../view/reaction.ts'

export function removeReaction(ctx: Context): MethodImpl<typeof MessageService.method.removeReaction> {
  return async ({ roomId, messageEventId: eventId, emoji }, call) => {
    const { changed, tally } = await react(ctx, callerOf(call), {
      roomId,
      eventId,
      emoji,
      change: 'remove',
      signal: call.signal,
    })
    return { removed: changed, ...(tally && { reaction: toReaction(tally) }) }
  }
}
