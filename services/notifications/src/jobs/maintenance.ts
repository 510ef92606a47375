import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { gaugeJobs } from '../metrics.ts'
import { notificationQueue } from '../store/jobs.ts'
import { deleteOldRows } from '../store/old-rows.ts'

/** Interval while jobs are waiting. */
const countAgainMs = 10_000

/** Deletes expired rows and counts waiting jobs. */
export function startMaintenance(ctx: Context): AsyncDisposable {
  const resources = new Resources()
  let jobs = 0
  resources.use(gaugeJobs(() => jobs))
  const count = async () => {
    jobs = await notificationQueue.count(ctx.db)
    return jobs > 0 ? countAgainMs : undefined
  }
  resources.use(periodically({ name: 'count jobs', everyMs: 30_000, run: count }))
  resources.use(periodically({ name: 'delete old rows', everyMs: 600_000, run: (stop) => deleteOldRows(ctx.db, stop) }))
  return resources
}
