import { handOver } from '@parley/events'
import type { Tx } from '@parley/postgres'
import { insertVideoJobs } from '../../store/video-jobs.ts'
import { processingStarted } from './room-events.ts'

/** Files of messages that were posted. */
export type PostedFiles = { files: readonly { assetId: string; eventId: string }[]; imported: boolean }

/** Queues videos and animated images for processing, and announces it to their rooms. */
export async function queueVideos(tx: Tx, { files, imported }: PostedFiles, now: Date): Promise<void> {
  const begun = await insertVideoJobs(tx, files, { imported, now })
  for (const roomId of new Set(begun.map((video) => video.roomId))) {
    const started = begun.filter((video) => video.roomId === roomId).map((video) => processingStarted(video, now))
    await handOver(tx, roomId, started)
  }
}
