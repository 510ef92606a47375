import { enqueue } from '@parley/events'
import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { keptMs } from '../domain/limits.ts'
import { keepPosted } from '../actions/files/keep-posted.ts'
import { markUnusedForDeletion, findUnusedAssets } from '../store/assets.ts'
import { assetExpired } from '../view/asset-events.ts'

const assetsPerRound = 200

/**
 * Marks for deletion the files that no message uses after `keptMs`, and notifies their owners. Asks messaging first,
 * because the event of a posted message may not have arrived yet.
 */
export function expireAssets(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'expire assets',
    everyMs,
    signal,
    run: async (stop) => {
      for (let found = assetsPerRound; found === assetsPerRound && !stop.aborted;) {
        const now = ctx.now()
        const before = new Date(now.getTime() - keptMs)
        const ids = await findUnusedAssets(ctx.db, before, assetsPerRound)
        const files = await ctx.fileReferences.findAttachedFiles(ids)
        const attached = new Set(files.map(({ assetId }) => assetId))
        const entries = await ctx.db.transaction(async (tx) => {
          await keepPosted(tx, { files, imported: false }, { now, processesVideos: ctx.fileLimits.videoEnabled })
          const unused = ids.filter((id) => !attached.has(id))
          const rows = await markUnusedForDeletion(tx, unused, before)
          return enqueue(
            tx,
            rows.map((row) => assetExpired(row, now)),
          )
        })
        ctx.relay.wake(entries)
        found = ids.length
      }
    },
  })
}
