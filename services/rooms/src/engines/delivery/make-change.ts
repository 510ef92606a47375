import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Changed } from '../../store/changes.ts'
import type { Committed, RoomChange } from './commit-changes.ts'
import type { FactDelivery } from './fact-delivery.ts'
import type { ReadRoom } from './batch-room-reads.ts'
import type { RemainingTime } from './room-deliveries.ts'
import { layoutKey, type WriteQueue } from './write-queue.ts'

type Needs = { db: Db; delivery: FactDelivery; relay: Pick<Relay, 'wake'>; writes: WriteQueue; readRoom: ReadRoom }

/**
 * Resolves when messaging has applied the change, even if an earlier call made it. Throws unavailable if that takes too
 * long.
 */
export async function makeChange(ctx: Needs, change: RoomChange, remaining: RemainingTime): Promise<Changed> {
  const { roomId, userId, decide } = change
  const seen = await ctx.readRoom(userId, roomId, change.cause.actorId)
  const made =
    decide(seen) === 'change' ? await queueCommit(ctx, change, remaining) : { room: seen.room, facts: [], entries: [] }
  if (made.facts.length === 0) await ctx.delivery.waitUntilApplied(roomId, remaining, change.isAbout)
  else {
    ctx.relay.wake(made.entries)
    await ctx.delivery.deliver(roomId, made.facts, remaining)
  }
  return made
}

/** Transactions lock the layout before the room, so a change of both waits for the layout first. */
function queueCommit(ctx: Needs, change: RoomChange, remaining: RemainingTime): Promise<Committed> {
  const commit = () => ctx.writes.change(change, remaining)
  return change.layoutAuditEvents ? ctx.writes.run(layoutKey, remaining, commit) : commit()
}
