import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { storageKeys } from '../storage/storage.ts'
import { doomedImages, forgetServerImage } from '../store/server-images.ts'

const imagesPerRound = 100

/** Deletes what was replaced: the bytes first, so that a row always tells of bytes that are still to go. */
export function deleteDoomedImages(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'delete doomed images',
    everyMs,
    signal,
    run: async () => {
      for (const key of await doomedImages(ctx.db, imagesPerRound)) {
        await ctx.storage.delete(storageKeys.serverImage(key))
        await forgetServerImage(ctx.db, key)
      }
    },
  })
}
