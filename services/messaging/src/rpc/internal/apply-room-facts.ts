import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { countFacts } from '../../metrics.ts'
import { applyFacts } from '../../store/apply-facts.ts'
import { toFactEvent } from '../../view/fact-event.ts'

export function applyRoomFacts(ctx: Context): MethodImpl<typeof MessagingInternalService.method.applyRoomFacts> {
  return async ({ roomId, facts, awaitStream }) => {
    const { room, applied, entries, lastEntry } = await applyFacts(ctx.db, roomId, facts, ctx.now(), toFactEvent)
    if (room) ctx.headers.put(room)
    countFacts(applied)
    ctx.relay.wake(entries)
    // Entries of a room reach the stream in order. A repeat waits too: its facts may be applied and not yet stored.
    if (awaitStream && room) await ctx.relay.stored([lastEntry])
    return { heldVersion: room?.version ?? 0n, heldEventId: room?.factId ?? '' }
  }
}
