import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { gaugeLeftBehind } from '../metrics.ts'
import { roomsLeftBehind } from '../store/facts.ts'

/** The process that made a fact has this long to hand it over. */
const patienceMs = 1000
const roomsPerRound = 100
/** With the patience, what a process that died left behind is told within three seconds. */
const everyMs = 2000
const againMs = 1000

/** Hands over what crashed processes and a silent messaging left behind. */
export function handOverLeftBehind(ctx: Context, signal: AbortSignal): AsyncDisposable {
  let waiting = 0
  const gauge = gaugeLeftBehind(() => waiting)
  const task = periodically({
    name: 'hand over room facts left behind',
    everyMs,
    signal,
    run: async () => {
      const olderThan = new Date(ctx.now().getTime() - patienceMs)
      const left = await roomsLeftBehind(ctx.db, olderThan, roomsPerRound)
      waiting = left.length
      // What fails here is found again in the next round.
      await Promise.allSettled(
        left.map(({ roomId, version, awaitStream }) => ctx.line.feed(roomId, version, awaitStream)),
      )
      return left.length > 0 ? againMs : undefined
    },
  })
  return {
    async [Symbol.asyncDispose]() {
      gauge[Symbol.dispose]()
      await task[Symbol.asyncDispose]()
    },
  }
}
