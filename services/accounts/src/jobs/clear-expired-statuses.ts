import { clearStatus } from '../actions/accounts/clear-status.ts'
import type { Context } from '../context.ts'
import { listStatusEnds } from '../store/users.ts'

const batchSize = 100
const minPauseMs = 100

/**
 * A row lock ensures that only one process clears a status. Returns the milliseconds until the next status expires, at
 * least 100; Infinity if none will.
 */
export async function clearExpiredStatuses(
  ctx: Pick<Context, 'db' | 'relay' | 'now'>,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const at = ctx.now()
    const expiring = await listStatusEnds(ctx.db, batchSize)
    const isExpired = ({ statusExpiresAt }: { statusExpiresAt: Date | null }) =>
      statusExpiresAt !== null && statusExpiresAt <= at
    for (const { id, at: expiresAt } of expiring) {
      if (expiresAt > at) return Math.max(expiresAt.getTime() - ctx.now().getTime(), minPauseMs)
      signal.throwIfAborted()
      await clearStatus(ctx, id, { actorId: '', at }, isExpired)
    }
    if (expiring.length < batchSize) return Infinity
  }
}
