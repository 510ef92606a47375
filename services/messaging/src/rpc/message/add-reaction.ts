import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { react } from '../../actions/room-log/react.ts'
import { toReaction } from '../../view/reaction.ts'

export function addReaction(ctx: Context): MethodImpl<typeof MessageService.method.addReaction> {
  return async ({ roomId, messageEventId: eventId, emoji }, call) => {
    const { changed, tally } = await react(ctx, callerOf(call), {
      roomId,
      eventId,
      emoji,
      change: 'add',
      signal: call.signal,
    })
    return { added: changed, ...(tally && { reaction: toReaction(tally) }) }
  }
}
