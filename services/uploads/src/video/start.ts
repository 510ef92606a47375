import { tmpdir } from 'node:os'
import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { countJobs, takeJob } from '../store/video-jobs.ts'
import { removeOldJobFolders } from './job-folder.ts'
import { leaseMs } from './lease.ts'
import { reportNoVideo, showVideos } from './metrics.ts'
import { failVideo } from './process-video.ts'
import type { VideoSettings } from './settings.ts'
import { findFault, videoTools, type VideoTools } from './tools.ts'
import { startVideoWorker } from './worker.ts'

/** The programs that process videos here; undefined when videos are switched off or the programs do not work. */
export async function openVideoTools(
  settings: VideoSettings & { videoEnabled: boolean },
  signal: AbortSignal,
): Promise<VideoTools | undefined> {
  if (!settings.videoEnabled) return undefined
  const tools = videoTools(settings)
  const fault = await findFault(tools, signal)
  if (fault === undefined) return tools
  reportNoVideo(fault)
  return undefined
}

const countEveryMs = 15_000
/** What nobody has worked on for as long will stay undone: videos were switched off. */
const abandonedMs = 24 * 3_600_000

type VideoOptions = {
  tools: VideoTools | undefined
  settings: VideoSettings
  /** How often what killed processes left is looked for. */
  sweepEveryMs: number
  signal: AbortSignal
}

/** Processes videos, or gives up those that were left when videos were switched off, until it is disposed. */
export async function startVideos(
  ctx: Context,
  { tools, settings, sweepEveryMs, signal }: VideoOptions,
): Promise<AsyncDisposable> {
  await using opened = new Resources()
  let waiting = 0
  opened.use(showVideos({ available: tools !== undefined, waiting: () => waiting }))
  opened.use(
    periodically({
      name: 'count videos',
      everyMs: countEveryMs,
      signal,
      run: async () => {
        waiting = await countJobs(ctx.db)
        if (!tools) await giveUpAbandoned(ctx)
      },
    }),
  )
  if (tools) {
    const { videosAtOnce: atOnce, videoTimeoutMs: timeoutMs, videoFolder: folder = tmpdir() } = settings
    const sweep = () => removeOldJobFolders(folder, 2 * timeoutMs)
    // A folder that cannot be used is told at once.
    await sweep()
    opened.use(periodically({ name: 'remove old job folders', everyMs: sweepEveryMs, signal, run: sweep }))
    opened.use(startVideoWorker({ ctx, tools, folder }, { atOnce, timeoutMs, signal }))
  }
  return opened.move()
}

async function giveUpAbandoned(ctx: Context): Promise<void> {
  for (;;) {
    const job = await takeJob(ctx.db, { leaseMs, idleMs: abandonedMs })
    if (!job) return
    await failVideo(ctx, job, 'processing_failed')
  }
}
