import type { Subject } from '@parley/permissions'
import type { OutgoingEvent } from '@parley/events'
import type { Context } from '../../context.ts'
import type { ChangeableMessage } from '../../domain/changeable.ts'
import { looksLikeId } from '../../domain/ids.ts'
import type { RoomLine } from '../../domain/room-line.ts'
import { messageNotFound, roomNotFound } from '../../errors.ts'
import { assertReads } from '../../policy/room-access.ts'
import { findChangeable } from '../../store/changeable.ts'
import { storeLineEvents } from '../../store/line-events.ts'
import type { Connection } from '../../store/statement.ts'
import type { Occurrence } from '../../view/change-events.ts'

/** The message that a call names; the emoji where it is about one. The signal ends the call. */
export type Target = { roomId: string; eventId: string; emoji?: string; signal: AbortSignal }

/** The message as it stands, in a room that the caller may read. */
export type Found = { room: RoomLine; message: ChangeableMessage }

/** What is to be written, and the events of it: each takes the next place of the line, in order. */
export type Change = { write: (on: Connection) => Promise<void>; events: readonly OutgoingEvent[] }

/**
 * Changes a message under the lock of its room, where nobody joins, leaves, is banned, posts or changes. `decide` throws
 * what stands against the change; it answers nothing when there is nothing to change. It is asked without a lock first,
 * so that refusals and repeats hold nobody up. Returns the message as it was.
 */
export async function changeMessage(
  ctx: Context,
  caller: Subject,
  target: Target,
  decide: (found: Found) => Change | undefined,
): Promise<Found> {
  const { roomId, eventId, emoji = '', signal } = target
  if (!looksLikeId(roomId)) throw roomNotFound()
  const look = async (on: Connection): Promise<Found> => {
    const id = looksLikeId(eventId) ? eventId : ''
    const found = await findChangeable(on, { roomId, eventId: id, userId: caller.userId, emoji })
    if (!found) throw roomNotFound()
    const { room, standing, message } = found
    ctx.headers.put(room)
    assertReads(ctx.policy(), caller, room, standing)
    if (!message) throw messageNotFound()
    return { room, message }
  }
  let found = await look(ctx.pool)
  if (!decide(found)) return found
  let entries: bigint[] = []
  await ctx.changes.run(roomId, signal, async (on) => {
    entries = []
    found = await look(on)
    const change = decide(found)
    if (!change) return
    await change.write(on)
    entries = await storeLineEvents(on, roomId, change.events)
  })
  ctx.relay.wake(entries)
  return found
}

/** The change that takes the next place but `skipped` of the line. */
export const occurrence = (room: RoomLine, caller: Subject, at: Date, skipped = 0): Occurrence => ({
  room,
  place: room.roomSeq + 1n + BigInt(skipped),
  actorId: caller.userId,
  at,
})
