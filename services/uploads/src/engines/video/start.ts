import { tmpdir } from 'node:os'
import { periodically, Resources } from '@parley/runtime'
import { videoQueue } from '../../store/video-jobs.ts'
import { removeOldJobFolders } from './job-folder.ts'
import { observeVideos } from './metrics.ts'
import type { Encoder } from './encode.ts'
import { failVideo, type VideoContext } from './process-video.ts'
import type { VideoSettings } from './settings.ts'
import { leaseMs, startVideoWorker } from './worker.ts'

const countEveryMs = 15_000
/** Without an encoder, jobs on which no process has worked for this long are given up. */
const abandonedAfterMs = 24 * 3_600_000

type VideoOptions = {
  encoder: Encoder | undefined
  settings: VideoSettings
  atOnce: number
  sweepEveryMs: number
  signal: AbortSignal
}

export async function startVideos(
  ctx: VideoContext,
  { encoder, settings, atOnce, sweepEveryMs, signal }: VideoOptions,
): Promise<AsyncDisposable> {
  await using opened = new Resources()
  let waiting = 0
  opened.use(observeVideos({ available: encoder !== undefined, waiting: () => waiting }))
  opened.use(
    periodically({
      name: 'count videos',
      everyMs: countEveryMs,
      signal,
      run: async () => {
        waiting = await videoQueue.count(ctx.db)
        if (!encoder) await giveUpAbandoned(ctx)
      },
    }),
  )
  if (encoder) {
    const { videoTimeoutMs: timeoutMs, videoFolder: folder = tmpdir() } = settings
    const sweep = () => removeOldJobFolders(folder, 2 * timeoutMs)
    await sweep()
    opened.use(periodically({ name: 'remove old job folders', everyMs: sweepEveryMs, signal, run: sweep }))
    opened.use(startVideoWorker({ ctx, encoder }, { atOnce, timeoutMs, signal }))
  }
  return opened.move()
}

async function giveUpAbandoned(ctx: VideoContext): Promise<void> {
  for (;;) {
    const [job] = await videoQueue.claim(ctx.db, { leaseMs, limit: 1, idleMs: abandonedAfterMs })
    if (!job) return
    await failVideo(ctx, job, 'processing_failed')
  }
}
