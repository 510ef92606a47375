import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { deleteAssets } from '../actions/files/delete-assets.ts'
import { bytesDoomed, doomedAssets } from '../store/assets.ts'

const assetsPerRound = 100

/** Deletes the bytes of files that are marked for deletion. */
export function deleteDoomedAssets(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const job = new Resources()
  const deleting = job.use(
    periodically({
      name: 'delete doomed assets',
      everyMs,
      signal,
      run: async () => {
        const ids = await doomedAssets(ctx.db, assetsPerRound)
        await deleteAssets(ctx, ids)
        return ids.length < assetsPerRound ? undefined : 0
      },
    }),
  )
  job.use(bytesDoomed.listen(ctx.db, () => deleting.wake()))
  return job
}
