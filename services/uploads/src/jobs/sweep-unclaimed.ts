import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { logSwept } from '../metrics.ts'
import { storageKeys } from '../storage/storage.ts'
import { forgetOldBlobs } from '../store/blobs.ts'
import { doomUnclaimedImages } from '../store/server-images.ts'

/** What nobody has claimed by then goes. */
export const unclaimedLifeMs = 3_600_000
const blobsPerRound = 1_000

type Options = {
  everyMs: number
  signal: AbortSignal
  /** Whether claims can be trusted to have arrived. */
  claimsArrive: () => boolean
}

/** Lets go of blobs that no call took and of images that no event named. */
export function sweepUnclaimed(ctx: Context, { everyMs, signal, claimsArrive }: Options): AsyncDisposable {
  return periodically({
    name: 'sweep unclaimed',
    everyMs,
    signal,
    run: async () => {
      const before = new Date(ctx.now().getTime() - unclaimedLifeMs)
      const blobs = await forgetOldBlobs(ctx.db, before, blobsPerRound)
      for (const id of blobs) await ctx.storage.delete(storageKeys.blob(id))
      const images = claimsArrive() ? await doomUnclaimedImages(ctx.db, before) : 0
      if (blobs.length + images > 0) logSwept('blobs and images', blobs.length + images)
    },
  })
}
