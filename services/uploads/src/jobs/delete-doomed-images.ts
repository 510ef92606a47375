import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { storageKeys } from '../storage/storage.ts'
import { bytesDoomed } from '../store/assets.ts'
import { doomedImages, forgetServerImage } from '../store/server-images.ts'

const imagesPerRound = 100

/** Deletes what was replaced: the bytes first, so that a row always tells of bytes that are still to go. */
export function deleteDoomedImages(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const job = new Resources()
  const deleting = job.use(
    periodically({
      name: 'delete doomed images',
      everyMs,
      afterFailureMs: Math.min(everyMs, 2_000),
      signal,
      run: async () => {
        const keys = await doomedImages(ctx.db, imagesPerRound)
        for (const key of keys) {
          await ctx.storage.delete(storageKeys.serverImage(key))
          await forgetServerImage(ctx.db, key)
        }
        return keys.length < imagesPerRound ? undefined : 0
      },
    }),
  )
  job.use(bytesDoomed.listen(ctx.db, () => deleting.wake()))
  return job
}
