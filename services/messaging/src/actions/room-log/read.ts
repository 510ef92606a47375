import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { isDm } from '../../domain/room-line.ts'
import { roomNotFound, threadInDm, threadRootNotFound } from '../../errors.ts'
import { assertReads } from '../../policy/room-access.ts'
import { readMessages } from '../../store/messages.ts'
import type { Readable } from '../../store/readable-events.ts'

type Reader = { roomId: string; userId: string }
type Read = (reader: Reader) => Promise<Readable | undefined>

/** Returns the result of a statement. Throws unless the caller may read the room in the same snapshot. */
async function readable(ctx: Context, caller: Subject, roomId: string, read: Read): Promise<Readable> {
  const { userId } = caller
  const found = looksLikeId(roomId) ? await ctx.reads.run(() => read({ roomId, userId }), userId) : undefined
  if (!found) throw roomNotFound()
  assertReads(ctx.policy(), caller, found.access.room, found.access.standing)
  return found
}

/** The rows that a statement found, when the caller may read the room. */
export async function readAsMember(ctx: Context, caller: Subject, roomId: string, read: Read): Promise<EventRow[]> {
  return (await readable(ctx, caller, roomId, read)).events
}

/** The root of a thread and the replies that a statement found, when the caller may read the room. */
export async function readThread(
  ctx: Context,
  caller: Subject,
  thread: { roomId: string; rootEventId: string },
  read: (reader: Reader, rootEventId: string) => Promise<Readable | undefined>,
): Promise<{ root: EventRow; replies: EventRow[] }> {
  const rootEventId = looksLikeId(thread.rootEventId) ? thread.rootEventId : ''
  const { access, events } = await readable(ctx, caller, thread.roomId, (reader) => read(reader, rootEventId))
  if (isDm(access.room)) throw threadInDm()
  const [root, ...replies] = events
  if (root?.eventId !== thread.rootEventId) throw threadRootNotFound()
  return { root, replies }
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
