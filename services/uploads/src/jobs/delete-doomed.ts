import { periodically, Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { deleteAssets } from '../actions/files/delete-assets.ts'
import { deleteImages } from '../actions/files/delete-images.ts'
import { bytesDoomed, doomedAssets } from '../store/assets.ts'
import { doomedImages } from '../store/server-images.ts'

const mostPerRound = 100

/** Deletes the bytes of files and public images that nobody sees any more, each kind by a job of its own. */
export function deleteDoomed(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const jobs = new Resources()
  for (const { what, find, remove } of [
    { what: 'images', find: doomedImages, remove: deleteImages },
    { what: 'assets', find: doomedAssets, remove: deleteAssets },
  ]) {
    const run = async () => {
      const doomed = await find(ctx.db, mostPerRound)
      await remove(ctx, doomed)
      return doomed.length < mostPerRound ? undefined : 0
    }
    const deleting = jobs.use(periodically({ name: `delete doomed ${what}`, everyMs, signal, run }))
    jobs.use(bytesDoomed.listen(ctx.db, () => deleting.wake()))
  }
  return jobs
}
