import { logger } from '@parley/telemetry'
import type { Context } from '../context.ts'
import { dismissSome, shardsOfDismissals } from '../dismiss/dismiss-some.ts'
import { postpone, putBack, takeJob, type Job, type Standing } from '../store/jobs.ts'
import { holdShards } from '../store/shards.ts'
import { tellSome } from '../tell/many.ts'

const log = logger('jobs')

const leaseMs = 15_000
const longestPauseMs = 60_000

/** Gives the jobs that wait their turns, one after the other, until none is due. */
export async function runJobs(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const job = await takeJob(ctx.db, ctx.now(), leaseMs)
    if (!job) return
    try {
      await putBack(ctx.db, job, await takeTurn(ctx, job), ctx.now())
    } catch (error) {
      const pauseMs = Math.min(250 * 2 ** job.failures, longestPauseMs)
      log.warn({ err: error, job: String(job.id), failures: job.failures + 1 }, 'a job goes on later')
      await postpone(ctx.db, job, new Date(ctx.now().getTime() + pauseMs))
    }
  }
}

async function takeTurn(ctx: Context, { work, after }: Job): Promise<Standing> {
  if (work.of === 'told') return tellSome(ctx, work, after)
  const { entries, more } = await ctx.db.transaction(async (tx) => {
    await holdShards(tx, shardsOfDismissals([work]))
    return dismissSome(tx, [work], ctx.now())
  })
  ctx.relay.wake(entries)
  return more ? { work, after } : undefined
}
