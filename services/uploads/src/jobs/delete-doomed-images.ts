import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { deleteImages } from '../actions/files/delete-images.ts'
import { bytesDoomed } from '../store/assets.ts'
import { doomedImages } from '../store/server-images.ts'

const imagesPerRound = 100

/** Deletes the bytes of what was replaced. */
export function deleteDoomedImages(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const job = new Resources()
  const deleting = job.use(
    periodically({
      name: 'delete doomed images',
      everyMs,
      signal,
      run: async () => {
        const keys = await doomedImages(ctx.db, imagesPerRound)
        await deleteImages(ctx, keys)
        return keys.length < imagesPerRound ? undefined : 0
      },
    }),
  )
  job.use(bytesDoomed.listen(ctx.db, () => deleting.wake()))
  return job
}
