import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Changed } from '../../store/changes.ts'
import type { Committed, DecidedChange } from './commit-changes.ts'
import type { FactDelivery } from './fact-delivery.ts'
import type { Look } from './look-together.ts'
import type { RemainingTime } from './room-deliveries.ts'
import { layoutKey, type WriteQueue } from './write-queue.ts'

/** Dependencies of a change. */
type Needs = { db: Db; delivery: FactDelivery; relay: Pick<Relay, 'wake'>; writes: WriteQueue; look: Look }

/**
 * Runs a change of a room: decide, lock, decide again, write, commit, hand over. Resolves when the change is in effect,
 * even if an earlier call made it; throws unavailable when that takes too long.
 */
export async function makeChange(ctx: Needs, change: DecidedChange, remaining: RemainingTime): Promise<Changed> {
  const { roomId, userId, decide } = change
  const seen = await ctx.look(userId, roomId, change.cause.actorId)
  const made =
    decide(seen) === 'change' ? await inTurn(ctx, change, remaining) : { room: seen.room, facts: [], entries: [] }
  if (made.facts.length === 0) await ctx.delivery.settle(roomId, made.room.version, remaining, change.isAbout)
  else {
    ctx.relay.wake(made.entries)
    await ctx.delivery.handOver(roomId, made.facts, remaining)
  }
  return made
}

/** Locks the layout before the room, as all transactions do. */
function inTurn(ctx: Needs, change: DecidedChange, remaining: RemainingTime): Promise<Committed> {
  const commit = () => ctx.writes.change(change, remaining)
  return change.touchesLayout ? ctx.writes.run(layoutKey, remaining, commit) : commit()
}
