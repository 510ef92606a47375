import { newId } from '@parley/ids'
import { periodically } from '@parley/runtime'
import type { ApplyFacts } from '../clients/messaging.ts'
import type { Context } from '../context.ts'
import { reportFedAgain } from '../metrics.ts'
import { newestFacts } from '../store/facts.ts'

const roomsPerStep = 20

/**
 * A messaging restored from a backup has lost facts it once applied, and nobody else would notice in a quiet room. This
 * walks over all rooms, a few each second, sends each newest fact again and feeds what is missing before it; where
 * something was missing it goes on without pausing.
 */
export function checkMessaging(ctx: Context, apply: ApplyFacts, signal: AbortSignal): AsyncDisposable {
  // Several processes start at different places.
  let after = newId('room')

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
    return fed.includes(true)
  }

  return periodically({
    name: 'check what messaging holds',
    everyMs: 1000,
    signal,
    run: async () => {
      while (!signal.aborted && (await step()));
    },
  })
}
