import { enqueue } from '@parley/events'
import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { keptMs } from '../domain/limits.ts'
import { doomUnused } from '../store/assets.ts'
import { assetExpired } from '../view/asset-events.ts'

const assetsPerRound = 200

type Options = {
  everyMs: number
  signal: AbortSignal
  /** Whether posted messages can be trusted to have arrived. */
  claimsArrive: () => boolean
}

/** Lets go of files that no message used in time, and tells who sent them. */
export function expireAssets(ctx: Context, { everyMs, signal, claimsArrive }: Options): AsyncDisposable {
  return periodically({
    name: 'expire assets',
    everyMs,
    signal,
    run: async (stop) => {
      for (let expired = assetsPerRound; expired === assetsPerRound && claimsArrive() && !stop.aborted;) {
        const now = ctx.now()
        const before = new Date(now.getTime() - keptMs)
        const entries = await ctx.db.transaction(async (tx) => {
          const rows = await doomUnused(tx, before, assetsPerRound)
          return enqueue(
            tx,
            rows.map((row) => assetExpired(row, now)),
          )
        })
        ctx.relay.wake(entries)
        expired = entries.length
      }
    },
  })
}
