import type { Subject } from '@parley/auth'
import type { Context } from '../context.ts'
import type { EventRow } from '../domain/event-row.ts'
import { looksLikeId } from '../domain/ids.ts'
import { roomNotFound } from '../errors.ts'
import { assertReads } from '../policy/room-access.ts'
import { readMessages } from '../store/messages.ts'
import type { Readable } from '../store/readable-events.ts'

/** The rows that a statement found, when the caller may read the room as it was in that snapshot. */
export async function readAsMember(
  ctx: Context,
  caller: Subject,
  roomId: string,
  read: (reader: { roomId: string; userId: string }) => Promise<Readable | undefined>,
): Promise<EventRow[]> {
  const found = looksLikeId(roomId) ? await read({ roomId, userId: caller.userId }) : undefined
  if (!found) throw roomNotFound()
  assertReads(ctx.policy(), caller, found.access.room, found.access.standing)
  return found.events
}

/** Messages of the room that are not retracted, in no particular order. */
export async function readVisibleMessages(
  ctx: Context,
  caller: Subject,
  roomId: string,
  eventIds: readonly string[],
): Promise<EventRow[]> {
  const ids = eventIds.filter(looksLikeId)
  const rows = await readAsMember(ctx, caller, roomId, (reader) => readMessages(ctx.pool, reader, ids))
  return rows.filter((row) => row.deletedAt === null)
}
