import { JobLost, runJobs, type RetryPolicy } from '@parley/jobs'
import { videoQueue, type HeldJob } from '../../store/video-jobs.ts'
import { logFailedVideo, reportVideo, reportVideoTriedAgain } from './metrics.ts'
import { failVideo, processVideo, type VideoDesk, type VideoOutcome } from './process-video.ts'
import { VideoFailure } from './video-failure.ts'

export type WorkerOptions = {
  atOnce: number
  /** Time limit for one video. */
  timeoutMs: number
  signal: AbortSignal
}

/** Lease of a job, renewed by its worker. */
export const leaseMs = 30_000
const pollEveryMs = 10_000
const retry: RetryPolicy = { firstMs: 15_000, longestMs: 60_000, maxAttempts: 3 }

/** Processes a limited number of videos at a time until it is disposed. */
export function startVideoWorker(desk: VideoDesk, { atOnce, timeoutMs, signal }: WorkerOptions): AsyncDisposable {
  return runJobs({
    ...{
      name: 'process videos',
      db: desk.ctx.db,
      queue: videoQueue,
      atOnce,
      leaseMs,
      everyMs: pollEveryMs,
      retry,
      signal,
    },
    async run(job, stop) {
      const began = performance.now()
      const outcome = await attempt(desk, job, { timeoutMs, stop })
      reportVideo(outcome, (performance.now() - began) / 1000)
      return 'ended'
    },
    onFailure: ({ assetId }, { error }) => reportVideoTriedAgain(assetId, error),
    async giveUp(job, { error }) {
      reportVideo(await fail(desk, job, new VideoFailure('processing_failed', String(error))), 0)
    },
  })
}

/** Rejects if the system caused the failure, so that the video should be retried. */
async function attempt(
  desk: VideoDesk,
  job: HeldJob,
  { timeoutMs, stop }: { timeoutMs: number; stop: AbortSignal },
): Promise<VideoOutcome> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    return await processVideo(desk, job, AbortSignal.any([stop, late]))
  } catch (error) {
    if (stop.reason instanceof JobLost) return 'discarded'
    if (stop.aborted) throw error
    if (late.aborted) return fail(desk, job, new VideoFailure('processing_failed', 'it takes too long'))
    if (error instanceof VideoFailure) return fail(desk, job, error)
    throw error
  }
}

function fail({ ctx }: VideoDesk, job: HeldJob, { reason, message }: VideoFailure): Promise<VideoOutcome> {
  logFailedVideo(job.assetId, message)
  return failVideo(ctx, job, reason)
}
