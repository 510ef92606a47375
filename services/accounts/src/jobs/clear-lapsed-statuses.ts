import { clearStatus } from '../actions/accounts/clear-status.ts'
import type { Context } from '../context.ts'
import { firstStatusEnds } from '../store/users.ts'

const atOnce = 100
const shortestPauseMs = 100

/**
 * Clears and announces expired custom statuses. Several processes may run it; a row lock ensures that one of them acts.
 * Returns the milliseconds until the next one expires.
 */
export async function clearLapsedStatuses(
  ctx: Pick<Context, 'db' | 'relay' | 'now'>,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const at = ctx.now()
    const ends = await firstStatusEnds(ctx.db, atOnce)
    const lapsed = ({ statusExpiresAt }: { statusExpiresAt: Date | null }) =>
      statusExpiresAt !== null && statusExpiresAt <= at
    for (const end of ends) {
      if (end.at > at) return Math.max(end.at.getTime() - ctx.now().getTime(), shortestPauseMs)
      signal.throwIfAborted()
      await clearStatus(ctx, end.id, { actorId: '', at }, lapsed)
    }
    if (ends.length < atOnce) return Infinity
  }
}
