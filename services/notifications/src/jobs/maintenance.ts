import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { reportJobs } from '../metrics.ts'
import { notificationQueue } from '../store/jobs.ts'
import { deleteOldRows } from '../store/old-rows.ts'

const intervalWhileWaitingMs = 10_000

export function startMaintenance(ctx: Context): AsyncDisposable {
  const resources = new Resources()
  let jobs = 0
  resources.use(reportJobs(() => jobs))
  const count = async () => {
    jobs = await notificationQueue.count(ctx.db)
    return jobs > 0 ? intervalWhileWaitingMs : undefined
  }
  resources.use(periodically({ name: 'count jobs', everyMs: 30_000, run: count }))
  resources.use(periodically({ name: 'delete old rows', everyMs: 600_000, run: (stop) => deleteOldRows(ctx.db, stop) }))
  return resources
}
