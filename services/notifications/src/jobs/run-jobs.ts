import { runJobs, type RetryPolicy } from '@parley/jobs'
import { withTraceOf, isRecording, logger, withSpan } from '@parley/telemetry'
import type { Context } from '../context.ts'
import { dismissBatch, shardsOfDismissals } from '../actions/dismissal/dismiss-batch.ts'
import { countParkedJob } from '../metrics.ts'
import { notificationQueue, park, type NotificationJob, type JobState } from '../store/jobs.ts'
import type { AudienceJob, Work } from '../domain/work.ts'
import { lockShards } from '../store/shards.ts'
import { notifyNextMembers } from '../actions/notify/notify-next-members.ts'

const log = logger('jobs')

/**
 * With ten attempts, a job is parked after about three minutes of pauses. An outage of another service never uses up
 * the last attempts.
 */
const retry: RetryPolicy = { initialMs: 500, maxMs: 60_000, maxAttempts: 10 }

/**
 * Runs one batch of members or dismissals at a time; an unfinished job then moves behind the others. Jobs for people
 * with the level ALL_MESSAGES run last.
 */
export function runNotificationJobs(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return runJobs({
    ...{ name: 'jobs', db: ctx.db, queue: notificationQueue, everyMs, retry, signal },
    run: async (job) => runJob(ctx, job),
    onFailure: ({ id, work }, { error, attempts }) =>
      withTraceOf(traceOf(work), () =>
        log.warn({ err: error, job: String(id), attempts }, 'a job failed and will be retried'),
      ),
    async giveUp(job, failure) {
      if (!(await park(ctx.db, job, failure))) return
      countParkedJob(job.work.of)
      const about = { err: failure.error, job: String(job.id), attempts: failure.attempts }
      withTraceOf(traceOf(job.work), () =>
        log.error(about, 'a job was parked after its last attempt failed; requeue it after fixing the cause'),
      )
    },
  })
}

const traceOf = (work: Work): string => ('message' in work ? (work.message.traceparent ?? '') : '')

async function runJob(ctx: Context, { work, after }: NotificationJob): Promise<JobState> {
  if (work.of === 'told') return notifyTraced(ctx, work, after)
  const { entries, more } = await ctx.db.transaction(async (tx) => {
    await lockShards(tx, shardsOfDismissals([work]))
    return dismissBatch(tx, [work], ctx.now())
  })
  ctx.relay.wake(entries)
  return more ? { work, after } : undefined
}

function notifyTraced(ctx: Context, work: AudienceJob, after: string): Promise<JobState> {
  const parent = traceOf(work)
  const notify = () => notifyNextMembers(ctx, work, after)
  return parent === '' || !isRecording() ? notify() : withSpan('notify audience', { parent }, notify)
}
