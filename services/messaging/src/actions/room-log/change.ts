import type { Subject } from '@parley/permissions'
import type { OutgoingEvent } from '@parley/events'
import type { Context } from '../../context.ts'
import type { ChangeableMessage } from '../../domain/changeable.ts'
import { looksLikeId } from '../../domain/ids.ts'
import type { RoomLine } from '../../domain/room-line.ts'
import { messageNotFound, roomNotFound } from '../../errors.ts'
import { assertReads } from '../../policy/room-access.ts'
import { findChangeable } from '../../store/changeable.ts'
import type { HeldLog } from '../../store/held-log.ts'
import type { Connection } from '../../store/statement.ts'
import type { Occurrence } from '../../view/change-events.ts'

/** The message that a call names, and the emoji of a reaction. `signal` fires when the call ends. */
export type Target = { roomId: string; eventId: string; emoji?: string; signal: AbortSignal }

/** The current message, in a room that the caller may read. */
export type Found = { room: RoomLine; message: ChangeableMessage }

/** The rows to write and their events, which take the next places of the log in this order. */
export type Change = { write: (on: Connection) => Promise<void>; events: readonly OutgoingEvent[] }

/** Whether the message was changed or already was as requested, and its earlier state. */
export type Changed = { kind: 'written' | 'unchanged'; found: Found }

/**
 * Changes a message under the lock of its room, which excludes joins, leaves, bans, posts and other changes. `decide`
 * throws a refusal, or returns nothing when there is nothing to change. It is first called without the lock, so that
 * refusals and repetitions do not hold it.
 */
export async function changeMessage(
  ctx: Context,
  caller: Subject,
  target: Target,
  decide: (found: Found) => Change | undefined,
): Promise<Changed> {
  const { roomId, signal } = target
  if (!looksLikeId(roomId)) throw roomNotFound()
  let found = await look(ctx, ctx.pool, caller, target)
  ctx.headers.put(found.room)
  if (!decide(found)) return { kind: 'unchanged', found }
  const change = async (log: HeldLog) => {
    const { room, message } = await look(ctx, log.on, caller, target)
    found = { room: { ...room, roomSeq: room.roomSeq + log.ahead }, message }
    const change = decide(found)
    await change?.write(log.on)
    return change?.events ?? []
  }
  const outcome = await ctx.writer.submit(roomId, { kind: 'change', change, signal })
  if (outcome.kind === 'refused') throw outcome.error
  return { kind: outcome.places > 0 ? 'written' : 'unchanged', found }
}

async function look(ctx: Context, on: Connection, caller: Subject, target: Target): Promise<Found> {
  const { roomId, eventId, emoji = '' } = target
  const id = looksLikeId(eventId) ? eventId : ''
  const found = await findChangeable(on, { roomId, eventId: id, userId: caller.userId, emoji })
  if (!found) throw roomNotFound()
  const { room, standing, message } = found
  assertReads(ctx.policy(), caller, room, standing)
  if (!message) throw messageNotFound()
  return { room, message }
}

/** A change at the next place of the log, or `skipped` places after it. */
export const occurrence = (room: RoomLine, caller: Subject, at: Date, skipped = 0): Occurrence => ({
  room,
  place: room.roomSeq + 1n + BigInt(skipped),
  actorId: caller.userId,
  at,
})
