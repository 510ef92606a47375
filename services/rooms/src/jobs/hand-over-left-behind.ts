import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { gaugeLeftBehind } from '../metrics.ts'
import { roomsLeftBehind } from '../store/facts.ts'

/** How long the process that committed a fact may take to deliver it. */
const handOverMs = 1000
const roomsPerRound = 100
/**
 * Interval without a notification. Facts left behind are announced by this process when messaging does not answer, and
 * by the relay when another process died.
 */
const everyMs = 10_000
const againMs = 1000

/** Delivers facts that were left behind by crashed processes or while messaging did not answer. */
export function handOverLeftBehind(ctx: Context, signal: AbortSignal): AsyncDisposable {
  let waiting = 0
  const gauge = gaugeLeftBehind(() => waiting)
  const task = periodically({
    name: 'hand over room facts left behind',
    everyMs,
    signal,
    run: async () => {
      const olderThan = new Date(ctx.now().getTime() - handOverMs)
      const left = await roomsLeftBehind(ctx.db, olderThan, roomsPerRound)
      waiting = left.length
      // Failed deliveries are retried in the next round.
      await Promise.allSettled(
        left.map(({ roomId, version, awaitStream }) => ctx.delivery.feed(roomId, version, awaitStream)),
      )
      return left.length > 0 ? againMs : undefined
    },
  })
  const listeners = [ctx.delivery.onLeftBehind(() => task.wake(againMs)), ctx.relay.onPeerGone(() => task.wake())]
  return {
    async [Symbol.asyncDispose]() {
      for (const one of listeners) one[Symbol.dispose]()
      gauge[Symbol.dispose]()
      await task[Symbol.asyncDispose]()
    },
  }
}
