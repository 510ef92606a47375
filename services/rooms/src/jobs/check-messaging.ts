import { isServiceUnavailable } from '@parley/postgres'
import { newId } from '@parley/ids'
import { periodically } from '@parley/runtime'
import type { ApplyFacts } from '../clients/messaging.ts'
import type { Context } from '../context.ts'
import { isSame } from '../engines/delivery/index.ts'
import { reportFedAgain, reportHandOverFailure } from '../metrics.ts'
import { newestFacts } from '../store/facts.ts'

const roomsPerStep = 20
const stepEveryMs = 1000
/** Pause after a walk, per step and for at least `leastSteps` steps. Restores are rare. */
const defaultRestMs = 10_000
const leastSteps = 6

/**
 * After a restore, messaging may lack facts that it once applied, or have facts that rooms has lost, and in a quiet
 * room nobody would notice. This job walks over all rooms, a few per second: it sends each newest fact again, sends
 * facts missing before it, or restates the room. Where something differed it continues without a pause. After each walk
 * it rests.
 */
export function checkMessaging(ctx: Context, apply: ApplyFacts, options: WalkOptions): AsyncDisposable {
  return periodically({
    name: 'check what messaging holds',
    everyMs: defaultRestMs,
    afterFailureMs: stepEveryMs,
    signal: options.signal,
    run: walker(ctx, apply, options),
  })
}

type WalkOptions = { signal: AbortSignal; restMs?: number | undefined }

/**
 * Runs the next steps of the walk; returns the milliseconds until the following ones. An unavailable messaging service
 * is not a failure.
 */
export function walker(
  ctx: Pick<Context, 'db' | 'delivery'>,
  apply: ApplyFacts,
  { signal, restMs = defaultRestMs }: WalkOptions,
): () => Promise<number> {
  // Processes start at random positions, and continue to the end before their first full walk.
  let after = newId('room')
  let isWhole = false
  let steps = 0
  let restsUntil = 0

  async function step(): Promise<boolean> {
    const rooms = await newestFacts(ctx.db, after, roomsPerStep)
    const fed = await Promise.all(
      rooms.map(async ({ roomId, fact }) => {
        const batch = { roomId, facts: [fact], awaitStream: false, timeoutMs: 1500 }
        const answered = await apply(batch).catch((error: unknown) => {
          reportHandOverFailure(roomId, error)
          throw error
        })
        const { version: held } = answered
        if (held >= fact.version)
          return !isSame(answered, fact) && (await ctx.delivery.agree(roomId, answered)) !== undefined
        reportFedAgain(roomId, held, fact.version)
        await ctx.delivery.feed(roomId, fact.version, false)
        return true
      }),
    )
    after = rooms.at(-1)?.roomId ?? ''
    if (after === '') rest()
    else steps++
    return fed.includes(true)
  }

  function rest(): void {
    if (isWhole) restsUntil = performance.now() + Math.max(steps, leastSteps) * restMs
    isWhole = true
    steps = 0
  }

  return async () => {
    const leftMs = restsUntil - performance.now()
    if (leftMs > 0) return leftMs
    try {
      while (!signal.aborted && (await step()));
    } catch (error) {
      // Not reported, because services start concurrently and other checks report if messaging stays down.
      if (!isServiceUnavailable(error)) throw error
    }
    return Math.max(restsUntil - performance.now(), stepEveryMs)
  }
}
