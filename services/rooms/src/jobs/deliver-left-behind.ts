import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { gaugeLeftBehind } from '../metrics.ts'
import { findRoomsLeftBehind } from '../store/facts.ts'

const leftBehindAfterMs = 1000
const roomsPerRun = 100
/**
 * The interval while no facts are left behind. The job runs earlier when a delivery of this process has timed out, and
 * when the relay reports that another process has died.
 */
const everyMs = 10_000
/** The interval while facts are left behind, and the delay after a delivery has timed out. */
const retryMs = 1000

/** Delivers facts that were left behind because a process crashed, or messaging did not apply them in time. */
export function deliverLeftBehind(ctx: Context, signal: AbortSignal): AsyncDisposable {
  let waiting = 0
  const gauge = gaugeLeftBehind(() => waiting)
  const task = periodically({
    name: 'hand over room facts left behind',
    everyMs,
    signal,
    run: async () => {
      const olderThan = new Date(ctx.now().getTime() - leftBehindAfterMs)
      const left = await findRoomsLeftBehind(ctx.db, olderThan, roomsPerRun)
      waiting = left.length
      await Promise.allSettled(
        left.map(({ roomId, version, awaitStream }) => ctx.delivery.sendStored(roomId, version, awaitStream)),
      )
      return left.length > 0 ? retryMs : undefined
    },
  })
  const listeners = [ctx.delivery.onLeftBehind(() => task.wake(retryMs)), ctx.relay.onPeerGone(() => task.wake())]
  return {
    async [Symbol.asyncDispose]() {
      for (const one of listeners) one[Symbol.dispose]()
      gauge[Symbol.dispose]()
      await task[Symbol.asyncDispose]()
    },
  }
}
