import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { deleteAssets } from '../actions/files/delete-assets.ts'
import { deleteImages } from '../actions/files/delete-images.ts'
import { deletionsMarked, findAssetsToDelete } from '../store/assets.ts'
import { findImagesToDelete } from '../store/server-images.ts'

const maxPerRound = 100

export function deleteMarked(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const jobs = new Resources()
  for (const { what, find, remove } of [
    { what: 'images', find: findImagesToDelete, remove: deleteImages },
    { what: 'assets', find: findAssetsToDelete, remove: deleteAssets },
  ]) {
    const run = async () => {
      const marked = await find(ctx.db, maxPerRound)
      if (marked.length > 0) await remove(ctx, marked)
      return marked.length < maxPerRound ? undefined : 0
    }
    const deleting = jobs.use(periodically({ name: `delete marked ${what}`, everyMs, signal, run }))
    jobs.use(deletionsMarked.listen(ctx.db, () => deleting.wake()))
  }
  return jobs
}
