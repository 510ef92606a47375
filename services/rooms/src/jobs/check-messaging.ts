import { isAway } from '@parley/postgres'
import { newId } from '@parley/ids'
import { periodically } from '@parley/runtime'
import type { ApplyFacts } from '../clients/messaging.ts'
import type { Context } from '../context.ts'
import { isSame } from '../engines/delivery/index.ts'
import { reportFedAgain, reportHandOverFailure } from '../metrics.ts'
import { newestFacts } from '../store/facts.ts'

const roomsPerStep = 20
const stepEveryMs = 1000
/** After a walk it rests for so long per step, and as if it had taken six at least: most of the time nothing is restored. */
const usualRestMs = 10_000
const leastSteps = 6

/**
 * A messaging restored from a backup has lost facts it once applied, and where rooms was restored it holds facts that rooms has
 * lost; nobody else would notice in a quiet room. This walks over all rooms, a few each second, sends each newest fact again
 * and feeds what is missing before it, or states the room again; where something differed it goes on without pausing. After a
 * walk it rests.
 */
export function checkMessaging(ctx: Context, apply: ApplyFacts, options: WalkOptions): AsyncDisposable {
  return periodically({
    name: 'check what messaging holds',
    everyMs: usualRestMs,
    afterFailureMs: stepEveryMs,
    signal: options.signal,
    run: walker(ctx, apply, options),
  })
}

type WalkOptions = { signal: AbortSignal; restMs?: number | undefined }

/** The next steps of the walk; answers the milliseconds until those after them. A messaging that is away is no failure. */
export function walker(
  ctx: Pick<Context, 'db' | 'delivery'>,
  apply: ApplyFacts,
  { signal, restMs = usualRestMs }: WalkOptions,
): () => Promise<number> {
  // Several processes start at different places, and go on to the end before the first whole walk.
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
      // Services start side by side: it answers soon, or somebody else says that it is gone.
      if (!isAway(error)) throw error
    }
    return Math.max(restsUntil - performance.now(), stepEveryMs)
  }
}
