import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { gaugeJobs } from '../metrics.ts'
import { notificationQueue } from '../store/jobs.ts'
import { deleteOldRows } from '../store/old-rows.ts'

/** While there are some. */
const countAgainMs = 10_000

/** Deletes expired rows and counts waiting jobs. */
export function maintenance(ctx: Context): AsyncDisposable {
  const opened = new Resources()
  let jobs = 0
  opened.use(gaugeJobs(() => jobs))
  const count = async () => {
    jobs = await notificationQueue.count(ctx.db)
    return jobs > 0 ? countAgainMs : undefined
  }
  opened.use(periodically({ name: 'count jobs', everyMs: 30_000, run: count }))
  opened.use(periodically({ name: 'delete old rows', everyMs: 600_000, run: (stop) => deleteOldRows(ctx.db, stop) }))
  return opened
}
