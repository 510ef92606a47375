import { ConnectError } from '@connectrpc/connect'
import { periodically, Resources } from '@parley/runtime'
import { giveJobBack, nextVideoMs, takeJob, videosBegun, type HeldJob } from '../../store/video-jobs.ts'
import { keepLease, leaseMs } from './lease.ts'
import { logFailedVideo, reportVideo, reportVideoTriedAgain } from './metrics.ts'
import { failVideo, processVideo, type VideoDesk, type VideoOutcome } from './process-video.ts'
import { VideoFailure } from './video-failure.ts'

export type WorkerOptions = {
  atOnce: number
  /** Longest work on one video. */
  timeoutMs: number
  signal: AbortSignal
}

/** A process that ends leaves its videos to the others, which know when its leases end. */
const pollEveryMs = 10_000
const tryAgainMs = 1000
const shortestPauseMs = 100
/** Before a video is tried again. */
const pauseMs = 15_000
/** A video that ends whoever works on it must not do so for ever. */
const mostAttempts = 3

/** Works on videos, so many at once, until it is disposed. */
export function startVideoWorker(desk: VideoDesk, options: WorkerOptions): AsyncDisposable {
  const { atOnce, timeoutMs, signal } = options
  const slots = new Resources()
  for (let n = 0; n < atOnce; n++) {
    const slot = slots.use(
      periodically({
        name: 'process videos',
        everyMs: pollEveryMs,
        afterFailureMs: tryAgainMs,
        signal,
        run: async (stop) => {
          for (;;) {
            const job = stop.aborted ? undefined : await takeJob(desk.ctx.db, { leaseMs, idleMs: 0 })
            if (!job) break
            await work(desk, job, { timeoutMs, stop })
          }
          if (stop.aborted) return Infinity
          return Math.max((await nextVideoMs(desk.ctx.db)) ?? Infinity, shortestPauseMs)
        },
      }),
    )
    slots.use(videosBegun.listen(desk.ctx.db, () => slot.wake()))
  }
  return slots
}

async function work(desk: VideoDesk, job: HeldJob, { timeoutMs, stop }: { timeoutMs: number; stop: AbortSignal }) {
  const { db } = desk.ctx
  const began = performance.now()
  const report = (outcome: VideoOutcome) => reportVideo(outcome, (performance.now() - began) / 1000)
  const late = AbortSignal.timeout(timeoutMs)
  await using lease = keepLease(db, job)
  try {
    report(await attempt(desk, job, AbortSignal.any([stop, late, lease.lost])))
  } catch (error) {
    if (lease.lost.aborted) return report('discarded')
    if (stop.aborted) return giveJobBack(db, job, { pauseMs: 0, counted: false })
    if (late.aborted) return report(await giveUp(desk, job, new VideoFailure('processing_failed', 'it takes too long')))
    reportVideoTriedAgain(job.assetId, error)
    // The storage is away: that says nothing about the video.
    await giveJobBack(db, job, { pauseMs, counted: !(error instanceof ConnectError) })
  }
}

async function attempt(desk: VideoDesk, job: HeldJob, signal: AbortSignal): Promise<VideoOutcome> {
  try {
    if (job.attempts > mostAttempts) throw new VideoFailure('processing_failed', 'whoever worked on it was ended')
    return await processVideo(desk, job, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof VideoFailure)) throw error
    return giveUp(desk, job, error)
  }
}

function giveUp({ ctx }: VideoDesk, job: HeldJob, { reason, message }: VideoFailure): Promise<VideoOutcome> {
  logFailedVideo(job.assetId, message)
  return failVideo(ctx, job, reason)
}
