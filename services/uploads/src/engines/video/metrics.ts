import { counter, gauge, histogram, logger } from '@parley/telemetry'
import type { ProcessingOutcome } from './process-video.ts'

const log = logger('video')
const videos = counter('parley.video.videos', {
  description: 'Ended attempts to process a video, by outcome',
  unit: '{video}',
  labels: ['parley.outcome'],
})
const seconds = histogram('parley.video.duration', {
  description:
    'Time of the attempt that decided the outcome of a video; 0 if all attempts were used up without an outcome',
  unit: 's',
  buckets: [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
})

const available = gauge('parley.video.available', {
  description: '1 where videos are processed, else 0',
  unit: '{process}',
})
const waiting = gauge('parley.video.waiting', {
  description: 'Videos that are not processed yet',
  unit: '{video}',
})

export function reportVideo(outcome: ProcessingOutcome, durationSeconds: number): void {
  videos(1, { 'parley.outcome': outcome })
  seconds(durationSeconds)
}

/** The cause is not the video, but for example a killed ffmpeg. */
export function reportVideoRetry(assetId: string, error: unknown): void {
  videos(1, { 'parley.outcome': 'tried_again' })
  log.warn({ assetId, err: error }, 'a video could not be processed and will be retried')
}

export const logFailedVideo = (assetId: string, explanation: string): void =>
  log.info({ assetId, explanation }, 'a video cannot be processed')

export const reportToolsUnusable = (problem: string): void =>
  log.error({ problem }, 'videos are refused: their processing is enabled, but ffmpeg does not work here')

export const reportWorkerFailure = (error: unknown): void => log.warn({ err: error }, 'a video could not be processed')

export const reportRunsAsOwnUser = (userId: number, problem: string): void =>
  log.info(
    { userId, problem },
    'ffmpeg cannot run as a separate user, so it runs as the user of this process and could read its secrets',
  )

export function observeVideos(read: { available: boolean; waiting: () => number }): Disposable {
  const gauges = [available(() => +read.available), waiting(read.waiting)]
  return { [Symbol.dispose]: () => gauges.forEach((each) => each[Symbol.dispose]()) }
}
