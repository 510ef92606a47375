import { periodically, Resources, retry } from '@parley/runtime'
import type { Context } from '../context.ts'
import { appointOwners } from './appoint-owners.ts'
import { clearLapsedStatuses } from './clear-lapsed-statuses.ts'
import { deleteCredentials } from './delete-credentials.ts'
import { deleteExpired } from './delete-expired.ts'
import { deletionsMoved } from '../store/deletions.ts'
import { statusesSet } from '../store/user-changes.ts'
import { deletionFinisher } from './finish-deletions.ts'

const second = 1_000
/** Interval for work left behind by a process that died. */
const poll = 10 * second
const hour = 3600_000

/** Starts the periodic jobs, until the signal fires; disposing the result waits for running ones. */
export function startJobs(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const jobs = new Resources()
  const every = (everyMs: number, name: string, run: (stop: AbortSignal) => Promise<number | void>) =>
    jobs.use(periodically({ name, everyMs, afterFailureMs: Math.min(everyMs, second), signal, run }))
  void retry(() => appointOwners(ctx), { signal, initialMs: 500, maxMs: 10_000 }).catch(() => undefined)
  every(hour, 'delete credentials', (stop) => deleteCredentials(ctx, stop))
  every(hour, 'delete expired steps', (stop) => deleteExpired(ctx, stop))
  const clearing = every(poll, 'clear lapsed statuses', (stop) => clearLapsedStatuses(ctx, stop))
  jobs.use(statusesSet.listen(ctx.db, () => clearing.wake()))
  every(ctx.presence.sweepEveryMs, 'sweep presence', () => ctx.presence.sweep(second))
  const finishing = every(poll, 'finish deletions', deletionFinisher(ctx))
  jobs.use(deletionsMoved.listen(ctx.db, () => finishing.wake()))
  return jobs
}
