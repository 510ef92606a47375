import { enqueue } from '@parley/events'
import type { RoomFact } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { noteEvent, roomGroupsUpdated, type LayoutNote } from '../../domain/layout-event.ts'
import type { Cause } from '../../domain/room-fact.ts'
import type { Outcome } from '../../policy/outcome.ts'
import { lockRoom, type Changed } from '../../store/changes.ts'
import { nextLayoutVersion } from '../../store/layout.ts'
import type { RoomRow, SeenRoom } from '../../store/rows.ts'
import { getRoomSeen } from '../../store/seen-rooms.ts'
import type { Patience } from './fact-delivery.ts'
import { layoutKey } from './keyed-mutex.ts'

export type DecidedChange = {
  roomId: string
  /** Whose standing the decision looks at. */
  userId: string
  cause: Cause
  /** Throws what forbids the change. Asked twice: before the room is locked, and under the lock. */
  decide: (seen: SeenRoom) => Outcome
  write: (tx: Tx, room: RoomRow) => Promise<Changed>
  /** Tells the facts that may have made the change before: without anything to write the newest of them is waited for. */
  isAbout: (fact: RoomFact) => boolean
  /**
   * When the groups people see may look different afterwards: what else the audit log notes of it; undefined when they look
   * the same after all.
   */
  touchesLayout?: (before: RoomRow) => LayoutNote[] | undefined
}

type Committed = Changed & { entries: bigint[] }

/**
 * The way of a change of a room: decide, lock, decide again, write, commit, hand over. Resolves when the change is in
 * effect, also when a call before made it; throws unavailable when that takes too long.
 */
export async function makeChange(ctx: Context, change: DecidedChange, patience: Patience): Promise<Changed> {
  const { roomId, userId, decide } = change
  const seen = await getRoomSeen(ctx.db, userId, roomId, change.cause.actorId)
  const made =
    decide(seen) === 'change' ? await inTurn(ctx, change, patience) : { room: seen.room, facts: [], entries: [] }
  if (made.facts.length === 0) await ctx.delivery.settle(roomId, made.room.version, patience, change.isAbout)
  else {
    ctx.relay.wake(made.entries)
    await ctx.delivery.handOver(roomId, made.facts, patience)
  }
  return made
}

/** The layout before the room, as every transaction locks them. */
function inTurn(ctx: Context, change: DecidedChange, patience: Patience): Promise<Committed> {
  const room = () => ctx.mutex.run(change.roomId, patience, () => commit(ctx, change))
  return change.touchesLayout ? ctx.mutex.run(layoutKey, patience, room) : room()
}

function commit(ctx: Context, change: DecidedChange): Promise<Committed> {
  const { roomId, userId, cause, decide, write, touchesLayout } = change
  return ctx.db.transaction(async (tx) => {
    const layoutVersion = touchesLayout ? await nextLayoutVersion(tx) : undefined
    await lockRoom(tx, roomId)
    // A statement of its own: only what is read after the lock was granted counts.
    const seen = await getRoomSeen(tx, userId, roomId)
    if (decide(seen) === 'nothing') return { room: seen.room, facts: [], entries: [] }
    const changed = await write(tx, seen.room)
    const notes = touchesLayout?.(seen.room)
    if (layoutVersion === undefined || notes === undefined) return { ...changed, entries: [] }
    const told = roomGroupsUpdated(layoutVersion, { groupId: changed.room.groupId ?? '', roomId }, cause)
    const events = [told, ...notes.map((note) => noteEvent(note, layoutVersion, cause))]
    return { ...changed, entries: await enqueue(tx, events) }
  })
}
