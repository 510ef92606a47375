import type { EventPreparation } from '@parley/events'
import type { Context } from '../context.ts'
import { dismissSoon, holdShardsOf } from '../dismiss/dismiss-some.ts'
import type { Dismissal } from '../domain/many.ts'
import { noteRetraction } from '../store/tombstones.ts'

/**
 * Nobody is told any more of a message that is shown no longer. That is noted first: whoever holds a shard afterwards knows
 * it, and what the holders before have told is dismissed.
 */
export const onRetraction =
  (ctx: Context): EventPreparation =>
  async ({ fact }) => {
    if (fact.case !== 'messageRetracted') return undefined
    const { messageEventId: eventId, echoOnly } = fact.value
    await noteRetraction(ctx.db, eventId, ctx.now())
    return async (tx) => {
      const dismissal: Dismissal = { of: echoOnly ? 'echo' : 'message', eventId }
      await holdShardsOf(tx, dismissal)
      const entries = await dismissSoon(tx, dismissal, ctx.now())
      return () => ctx.relay.wake(entries)
    }
  }
