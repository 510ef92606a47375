import type { Context } from '../context.ts'
import { deleteUseless } from '../store/credentials.ts'

const atOnce = 1_000
/** Ended credentials stay for a while: whoever ends one again waits for the same event. */
const keepEndedMs = 24 * 3600_000

/** Deletes credentials that expired or ended, a few at a time. */
export async function deleteCredentials(ctx: Pick<Context, 'db' | 'now'>, signal: AbortSignal): Promise<void> {
  const now = ctx.now()
  const before = { expired: now, ended: new Date(now.getTime() - keepEndedMs) }
  while ((await deleteUseless(ctx.db, before, atOnce)) === atOnce) signal.throwIfAborted()
}
