import { clearStatus } from '../actions/accounts/clear-status.ts'
import type { Context } from '../context.ts'
import { firstStatusEnd, usersWithLapsedStatus } from '../store/users.ts'

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
    const ids = await usersWithLapsedStatus(ctx.db, at, atOnce)
    for (const id of ids) {
      signal.throwIfAborted()
      const lapsed = ({ statusExpiresAt }: { statusExpiresAt: Date | null }) =>
        statusExpiresAt !== null && statusExpiresAt <= at
      await clearStatus(ctx, id, { actorId: '', at }, lapsed)
    }
    if (ids.length === atOnce) continue
    const next = await firstStatusEnd(ctx.db)
    return next ? Math.max(next.getTime() - ctx.now().getTime(), shortestPauseMs) : Infinity
  }
}
