import { Code, ConnectError } from '@connectrpc/connect'
import { reasonOf } from '@parley/events'
import { isDatabaseUnavailable } from '@parley/postgres'
import { periodically } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import type { Context } from '../context.ts'
import { dismissSome, shardsOfDismissals } from '../actions/dismissal/dismiss-some.ts'
import { jobParked } from '../metrics.ts'
import { keepJob, nextJobMs, park, postpone, putBack, takeJob, type Job, type Standing } from '../store/jobs.ts'
import { holdShards } from '../store/shards.ts'
import { tellSome } from '../actions/notify/many.ts'

const log = logger('jobs')

const leaseMs = 15_000
const keepEveryMs = 5_000
const longestPauseMs = 60_000
/** Tries after which a job is given up: about two minutes. */
const mostTries = 10
/** Of them, those that an outage may count for. */
const mostOutages = mostTries - 3

const shortestPauseMs = 50

/**
 * Gives the jobs that wait their turns, one after the other, until none is due. Answers after how many milliseconds the
 * next one is.
 */
export async function runJobs(ctx: Context, signal: AbortSignal): Promise<number> {
  while (!signal.aborted) {
    const job = await takeJob(ctx.db, leaseMs)
    if (!job) break
    try {
      await putBack(ctx.db, job, await takeTurnAlone(ctx, job))
    } catch (error) {
      await failed(ctx, job, error)
    }
  }
  return Math.max((await nextJobMs(ctx.db)) ?? Infinity, shortestPauseMs)
}

/** However long a turn takes, nobody else begins it while this process lives. */
async function takeTurnAlone(ctx: Context, job: Job): Promise<Standing> {
  const run = () => keepJob(ctx.db, job, leaseMs)
  await using _ = periodically({ name: 'keep a job', everyMs: keepEveryMs, run })
  return await takeTurn(ctx, job)
}

async function failed(ctx: Context, job: Job, error: unknown): Promise<void> {
  const isOutage = await saysNothingOf(ctx, error)
  const failures = isOutage ? Math.max(job.failures, Math.min(job.failures + 1, mostOutages)) : job.failures + 1
  const about = { err: error, job: String(job.id), failures }
  if (!isOutage && failures >= mostTries) {
    if (!(await park(ctx.db, job, { attempts: failures, reason: reasonOf(error) }))) return
    jobParked(job.work.of)
    return log.error(about, 'a job is given up; it is parked')
  }
  const pauseMs = Math.min(250 * 2 ** job.failures, longestPauseMs)
  log.warn(about, 'a job goes on later')
  await postpone(ctx.db, job, { pauseMs, failures })
}

/** A neighbour or the database does not answer: that says nothing about the job. */
async function saysNothingOf({ db }: Context, error: unknown): Promise<boolean> {
  if (error instanceof ConnectError && [Code.Unavailable, Code.DeadlineExceeded].includes(error.code)) return true
  if (!isDatabaseUnavailable(error)) return false
  // A statement that ran into a timeout of its own is a failure of the job.
  return db.execute('select 1').then(
    () => false,
    () => true,
  )
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
