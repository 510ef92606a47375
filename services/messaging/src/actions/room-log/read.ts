import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { isDm } from '../../domain/room-header.ts'
import { roomNotFound, threadInDm, threadRootNotFound } from '../../errors.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import { readMessages } from '../../store/messages.ts'
import type { EventsWithAccess } from '../../store/readable-events.ts'

type Reader = { roomId: string; userId: string }
type Read = (reader: Reader) => Promise<EventsWithAccess | undefined>

/** Throws unless the room exists and the caller may read it. The access is from the same snapshot as the events. */
async function readRoom(ctx: Context, caller: Subject, roomId: string, read: Read): Promise<EventsWithAccess> {
  const { userId } = caller
  const found = looksLikeId(roomId) ? await ctx.reads.run(() => read({ roomId, userId }), userId) : undefined
  if (!found) throw roomNotFound()
  assertMayRead(ctx.policy(), caller, found.access.room, found.access.standing)
  return found
}

export async function readAsMember(ctx: Context, caller: Subject, roomId: string, read: Read): Promise<EventRow[]> {
  return (await readRoom(ctx, caller, roomId, read)).events
}

/**
 * `read` returns the root first, then replies. Throws unless the caller may read the room and the room has this root.
 */
export async function readThread(
  ctx: Context,
  caller: Subject,
  thread: { roomId: string; rootEventId: string },
  read: (reader: Reader, rootEventId: string) => Promise<EventsWithAccess | undefined>,
): Promise<{ root: EventRow; replies: EventRow[] }> {
  const rootEventId = looksLikeId(thread.rootEventId) ? thread.rootEventId : ''
  const { access, events } = await readRoom(ctx, caller, thread.roomId, (reader) => read(reader, rootEventId))
  if (isDm(access.room)) throw threadInDm()
  const [root, ...replies] = events
  if (root?.eventId !== thread.rootEventId) throw threadRootNotFound()
  return { root, replies }
}

/**
 * Returns messages in no particular order, without those that are retracted or not in the room. Throws unless the
 * caller may read the room.
 */
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
