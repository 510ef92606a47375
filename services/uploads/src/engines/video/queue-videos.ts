import { handOver } from '@parley/events'
import type { Tx } from '@parley/postgres'
import { insertVideoJobs } from '../../store/video-jobs.ts'
import { processingStarted } from './room-events.ts'

export type PostedFiles = { files: readonly { assetId: string; eventId: string }[]; imported: boolean }

/**
 * Queues the videos and animated GIFs among the files, except those queued before, and announces that to their rooms.
 */
export async function queueVideos(tx: Tx, { files, imported }: PostedFiles, now: Date): Promise<void> {
  const queued = await insertVideoJobs(tx, files, { imported, now })
  for (const roomId of new Set(queued.map((video) => video.roomId))) {
    const started = queued.filter((video) => video.roomId === roomId).map((video) => processingStarted(video, now))
    await handOver(tx, roomId, started)
  }
}
