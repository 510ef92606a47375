import { newId } from '@parley/ids'
import { periodically } from '@parley/runtime'
import type { ApplyFacts } from '../clients/messaging.ts'
import type { Context } from '../context.ts'
import { reportFedAgain } from '../metrics.ts'
import { newestFacts } from '../store/facts.ts'

const roomsPerStep = 20
const stepEveryMs = 1000
/** Most of the time that a walk takes of all time, and the shortest pause after one. */
const walking = 0.1
const shortestPauseMs = 10_000

/**
 * A messaging restored from a backup has lost facts it once applied, and nobody else would notice in a quiet room. This
 * walks over all rooms, a few each second, sends each newest fact again and feeds what is missing before it; where
 * something was missing it goes on without pausing. After a walk it rests.
 */
export function checkMessaging(ctx: Context, apply: ApplyFacts, signal: AbortSignal): AsyncDisposable {
  // Several processes start at different places.
  let after = newId('room')
  let begunAt = performance.now()
  let restsUntil = 0

  async function step(): Promise<boolean> {
    const rooms = await newestFacts(ctx.db, after, roomsPerStep)
    const fed = await Promise.all(
      rooms.map(async ({ roomId, fact }) => {
        const held = await apply({ roomId, facts: [fact], awaitStream: false, timeoutMs: 1500 })
        if (held >= fact.version) return false
        reportFedAgain(roomId, held, fact.version)
        await ctx.line.feed(roomId, fact.version, false)
        return true
      }),
    )
    after = rooms.at(-1)?.roomId ?? ''
    if (after === '') rest()
    return fed.includes(true)
  }

  function rest(): void {
    const now = performance.now()
    restsUntil = now + Math.max((now - begunAt) * (1 / walking - 1), shortestPauseMs)
    begunAt = restsUntil
  }

  return periodically({
    name: 'check what messaging holds',
    everyMs: shortestPauseMs,
    afterFailureMs: stepEveryMs,
    signal,
    run: async () => {
      if (performance.now() < restsUntil) return restsUntil - performance.now()
      while (!signal.aborted && (await step()));
      return stepEveryMs
    },
  })
}
