import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { deleteAssets } from '../files/delete-assets.ts'
import { doomedAssets } from '../store/assets.ts'

const assetsPerRound = 100

/** Deletes the bytes of files that nobody sees any more. */
export function deleteDoomedAssets(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'delete doomed assets',
    everyMs,
    signal,
    run: async () => deleteAssets(ctx, await doomedAssets(ctx.db, assetsPerRound)),
  })
}
