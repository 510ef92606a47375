import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { unclaimedLifeMs } from '../domain/limits.ts'
import { deleteBlobs } from '../actions/files/delete-blobs.ts'
import { logSwept } from '../metrics.ts'
import { forgetOldBlobs } from '../store/blobs.ts'
import { markImagesForDeletion, findUnclaimedImages, type ImagePosition } from '../store/server-images.ts'

const blobsPerRound = 1_000
const imagesPerRound = 200

/**
 * Deletes blobs that no call used in time. Marks for deletion the avatars, logos and banners to which no event referred
 * in time, unless the service `accounts` (avatars) or admin (logos and banners) reports them as used.
 */
export function sweepUnclaimed(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'sweep unclaimed',
    everyMs,
    signal,
    run: async (stop) => {
      const before = new Date(ctx.now().getTime() - unclaimedLifeMs)
      const blobs = await forgetOldBlobs(ctx.db, before, blobsPerRound)
      await deleteBlobs(ctx, blobs)
      const images = await sweepImages(ctx, before, stop)
      if (blobs.length + images > 0) logSwept('blobs and images', blobs.length + images)
    },
  })
}

async function sweepImages(ctx: Context, before: Date, stop: AbortSignal): Promise<number> {
  let swept = 0
  for (let after: ImagePosition | undefined; !stop.aborted;) {
    const page = await findUnclaimedImages(ctx.db, { before, after, limit: imagesPerRound })
    const used = await ctx.fileReferences.findUsedImages(page)
    const unused = page.flatMap(({ key }) => (used.has(key) ? [] : key))
    swept += await markImagesForDeletion(ctx.db, unused)
    if (page.length < imagesPerRound) break
    after = page.at(-1)
  }
  return swept
}
