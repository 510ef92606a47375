import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { roomsLeftBehind } from '../store/facts.ts'

/** The process that made a fact has this long to hand it over. */
const patienceMs = 1000
const roomsPerRound = 100

/** Hands over what crashed processes and a silent messaging left behind. */
export function handOverLeftBehind(ctx: Context, signal: AbortSignal): AsyncDisposable {
  return periodically({
    name: 'hand over room facts left behind',
    everyMs: 1000,
    signal,
    run: async () => {
      const olderThan = new Date(ctx.now().getTime() - patienceMs)
      const left = await roomsLeftBehind(ctx.db, olderThan, roomsPerRound)
      // What fails here is found again in the next round.
      await Promise.allSettled(
        left.map(({ roomId, version, awaitStream }) => ctx.line.feed(roomId, version, awaitStream)),
      )
    },
  })
}
