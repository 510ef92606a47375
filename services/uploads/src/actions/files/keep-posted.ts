import type { Tx } from '@parley/postgres'
import { confirmPosted } from '../../store/assets.ts'
import { queueVideos, type PostedFiles } from '../../engines/video/index.ts'

type Options = {
  now: Date
  processesVideos: boolean
}

/** Records that the files were posted, so that they are kept, and queues videos and animated GIFs for processing. */
export async function keepPosted(tx: Tx, posted: PostedFiles, { now, processesVideos }: Options): Promise<void> {
  await confirmPosted(tx, posted.files)
  if (processesVideos) await queueVideos(tx, posted, now)
}
