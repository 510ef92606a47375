import type { Tx } from '@parley/postgres'
import { confirmPosted } from '../../store/assets.ts'
import { queueVideos, type PostedFiles } from '../../engines/video/index.ts'

type Options = {
  now: Date
  processesVideos: boolean
}

/** Also queues the videos and animated GIFs among them for processing. */
export async function keepPosted(tx: Tx, posted: PostedFiles, { now, processesVideos }: Options): Promise<void> {
  await confirmPosted(tx, posted.files)
  if (processesVideos) await queueVideos(tx, posted, now)
}
