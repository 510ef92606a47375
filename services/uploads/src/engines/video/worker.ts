import { JobLost, runJobs, type RetryPolicy } from '@parley/jobs'
import { videoQueue, type ClaimedJob } from '../../store/video-jobs.ts'
import { logFailedVideo, reportVideo, reportVideoRetry } from './metrics.ts'
import { failVideo, processVideo, type VideoDependencies, type ProcessingOutcome } from './process-video.ts'
import { VideoFailure } from './video-failure.ts'

export type WorkerOptions = {
  atOnce: number
  timeoutMs: number
  signal: AbortSignal
}

export const leaseMs = 30_000
const pollEveryMs = 10_000
const retry: RetryPolicy = { initialMs: 15_000, maxMs: 60_000, maxAttempts: 3 }

export function startVideoWorker(
  deps: VideoDependencies,
  { atOnce, timeoutMs, signal }: WorkerOptions,
): AsyncDisposable {
  return runJobs({
    ...{
      name: 'process videos',
      db: deps.ctx.db,
      queue: videoQueue,
      atOnce,
      leaseMs,
      everyMs: pollEveryMs,
      retry,
      signal,
    },
    async run(job, stop) {
      const startedAt = performance.now()
      const outcome = await processInTime(deps, job, { timeoutMs, stop })
      reportVideo(outcome, (performance.now() - startedAt) / 1000)
      return 'ended'
    },
    onFailure: ({ assetId }, { error }) => reportVideoRetry(assetId, error),
    async giveUp(job, { error }) {
      reportVideo(await fail(deps, job, new VideoFailure('processing_failed', String(error))), 0)
    },
  })
}

/** Rejects if something other than the video failed, so that it is retried. */
async function processInTime(
  deps: VideoDependencies,
  job: ClaimedJob,
  { timeoutMs, stop }: { timeoutMs: number; stop: AbortSignal },
): Promise<ProcessingOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    return await processVideo(deps, job, AbortSignal.any([stop, timeout]))
  } catch (error) {
    if (stop.reason instanceof JobLost) return 'discarded'
    if (stop.aborted) throw error
    if (timeout.aborted) return fail(deps, job, new VideoFailure('processing_failed', 'time limit exceeded'))
    if (error instanceof VideoFailure) return fail(deps, job, error)
    throw error
  }
}

function fail(
  { ctx }: VideoDependencies,
  job: ClaimedJob,
  { reason, message }: VideoFailure,
): Promise<ProcessingOutcome> {
  logFailedVideo(job.assetId, message)
  return failVideo(ctx, job, reason)
}
