import type { Tx } from '@parley/postgres'
import { confirmPosted } from '../../store/assets.ts'
import { queueVideos, type PostedFiles } from '../../engines/video/index.ts'

type Options = {
  now: Date
  processesVideos: boolean
}

/** Makes the claims of the files permanent, and queues the videos and animated GIFs among the files for processing. */
export async function keepPosted(tx: Tx, posted: PostedFiles, { now, processesVideos }: Options): Promise<void> {
  await confirmPosted(tx, posted.files)
  if (processesVideos) await queueVideos(tx, posted, now)
}
