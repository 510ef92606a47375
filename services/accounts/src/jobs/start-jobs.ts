import { periodically, Resources, retry } from '@parley/runtime'
import type { Context } from '../context.ts'
import { appointOwners } from './appoint-owners.ts'
import { clearExpiredStatuses } from './clear-expired-statuses.ts'
import { deleteCredentials } from './delete-credentials.ts'
import { deleteExpired } from './delete-expired.ts'
import { deletionChanges } from '../store/deletions.ts'
import { statusExpiries } from '../store/user-changes.ts'
import { deletionFinisher } from './finish-deletions.ts'

const second = 1_000
/** Interval at which jobs also run without a notification, for work that a dead process left behind. */
const poll = 10 * second
const hour = 3600_000

/**
 * Owners are appointed once, with retries; the other jobs run until the signal is aborted. Disposing the result waits
 * for running jobs.
 */
export function startJobs(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const jobs = new Resources()
  const every = (everyMs: number, name: string, run: (stop: AbortSignal) => Promise<number | void>) =>
    jobs.use(periodically({ name, everyMs, afterFailureMs: Math.min(everyMs, second), signal, run }))
  void retry(() => appointOwners(ctx), { signal, initialMs: 500, maxMs: 10_000 }).catch(() => undefined)
  every(hour, 'delete credentials', (stop) => deleteCredentials(ctx, stop))
  every(hour, 'delete expired flows', (stop) => deleteExpired(ctx, stop))
  const clearing = every(poll, 'clear expired statuses', (stop) => clearExpiredStatuses(ctx, stop))
  jobs.use(statusExpiries.listen(ctx.db, () => clearing.wake()))
  every(ctx.presence.maxSweepPauseMs, 'sweep presence', () => ctx.presence.sweep(second))
  const finishing = every(poll, 'finish deletions', deletionFinisher(ctx))
  jobs.use(deletionChanges.listen(ctx.db, () => finishing.wake()))
  return jobs
}
