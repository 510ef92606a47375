import { isServiceUnavailable } from '@parley/postgres'
import { newId } from '@parley/ids'
import { periodically } from '@parley/runtime'
import type { ApplyFacts } from '../clients/messaging.ts'
import type { Context } from '../context.ts'
import { isSameFact } from '../engines/delivery/index.ts'
import { reportLostFacts, reportDeliveryFailure } from '../metrics.ts'
import { findNewestFacts } from '../store/facts.ts'

const roomsPerStep = 20
const stepEveryMs = 1000
/** Pause after a walk over all rooms, for each step of the walk. Long, because restores are rare. */
const defaultPausePerStepMs = 10_000
const minSteps = 6
const everyMs = 10_000

/**
 * After a restore of a database, messaging may lack facts that it once applied, or have facts that are lost here. In a
 * room without changes nobody would notice. This job sends the newest fact of each room again, if messaging once
 * applied it, `roomsPerStep` rooms at a time. If messaging lacks facts, the job sends them; if this database has lost
 * some, the job sends the state of the room as new facts. After a difference the job continues without waiting; after a
 * walk it pauses.
 */
export function checkMessaging(ctx: Context, apply: ApplyFacts, options: WalkOptions): AsyncDisposable {
  return periodically({
    name: 'compare rooms with messaging',
    everyMs,
    afterFailureMs: stepEveryMs,
    signal: options.signal,
    run: createWalk(ctx, apply, options),
  })
}

type WalkOptions = { signal: AbortSignal; pausePerStepMs?: number | undefined }

/**
 * Runs the next step of the walk, and further ones as long as they find differences. Returns the milliseconds until the
 * next run. Does not fail while messaging is unavailable.
 */
export function createWalk(
  ctx: Pick<Context, 'db' | 'delivery'>,
  apply: ApplyFacts,
  { signal, pausePerStepMs = defaultPausePerStepMs }: WalkOptions,
): () => Promise<number> {
  // Each process starts at a random room and goes to the last one before its first full walk.
  let after = newId('room')
  let isFullWalk = false
  let steps = 0
  let pausedUntil = 0

  async function step(): Promise<boolean> {
    const rooms = await findNewestFacts(ctx.db, after, roomsPerStep)
    const differences = await Promise.all(
      rooms.map(async ({ roomId, fact }) => {
        const batch = { roomId, facts: [fact], awaitStream: false, timeoutMs: 1500 }
        const answered = await apply(batch).catch((error: unknown) => {
          reportDeliveryFailure(roomId, error)
          throw error
        })
        const { version: held } = answered
        if (held >= fact.version)
          return !isSameFact(answered, fact) && (await ctx.delivery.reconcile(roomId, answered)) !== undefined
        reportLostFacts(roomId, held, fact.version)
        await ctx.delivery.sendStored(roomId, fact.version, false)
        return true
      }),
    )
    after = rooms.at(-1)?.roomId ?? ''
    if (after === '') startPause()
    else steps++
    return differences.includes(true)
  }

  function startPause(): void {
    if (isFullWalk) pausedUntil = performance.now() + Math.max(steps, minSteps) * pausePerStepMs
    isFullWalk = true
    steps = 0
  }

  return async () => {
    const leftMs = pausedUntil - performance.now()
    if (leftMs > 0) return leftMs
    try {
      while (!signal.aborted && (await step()));
    } catch (error) {
      if (!isServiceUnavailable(error)) throw error
    }
    return Math.max(pausedUntil - performance.now(), stepEveryMs)
  }
}
