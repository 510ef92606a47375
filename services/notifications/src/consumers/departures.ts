import type { EventHandler } from '@parley/events'
import type { Context } from '../context.ts'
import { dismissSoon, holdShardsOf } from '../dismiss/dismiss-some.ts'
import { noteDeparture } from '../store/tombstones.ts'

/** Who left a room, or was banned from it, is told no more of what was said there before. */
export const onDeparture =
  (ctx: Context): EventHandler =>
  async ({ aggregateId: roomId, fact }, tx) => {
    if (fact.case !== 'roomFact') return undefined
    const change = fact.value.fact?.fact
    if (change?.case !== 'left' && change?.case !== 'banned') return undefined
    const { userId } = change.value
    const { roomSeq } = fact.value
    const at = ctx.now()
    const dismissal = { of: 'place', userId, roomId, roomSeq: String(roomSeq) } as const
    await holdShardsOf(tx, dismissal)
    await noteDeparture(tx, { userId, roomId, roomSeq }, at)
    const entries = await dismissSoon(tx, dismissal, at)
    return () => ctx.relay.wake(entries)
  }
