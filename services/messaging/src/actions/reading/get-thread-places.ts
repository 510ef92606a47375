import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { isDm } from '../../domain/room-header.ts'
import { accountDeleted, roomNotFound, threadInDm, threadRootInvalid, threadRootNotFound } from '../../errors.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import { findPlacesInThread, type ReadPlaces } from '../../store/read-places.ts'

export type Thread = { roomId: string; rootEventId: string }

/**
 * Returns the caller's read marker in a thread, and the place of the message `upToEventId`. An empty id stands for the
 * last shown reply, or the root if there is none. Throws unless the caller may read the thread.
 */
export async function getThreadPlaces(
  ctx: Context,
  caller: Subject,
  { roomId, rootEventId }: Thread,
  upToEventId = '',
): Promise<ReadPlaces> {
  if (!looksLikeId(roomId)) throw roomNotFound()
  const thread = { roomId, rootEventId: looksLikeId(rootEventId) ? rootEventId : '' }
  const found = await findPlacesInThread(ctx.pool, thread, caller.userId, upToEventId)
  if (!found) throw roomNotFound()
  if (found.erased) throw accountDeleted()
  assertMayRead(ctx.policy(), caller, found.room, found.standing)
  if (isDm(found.room)) throw threadInDm()
  if (!found.root) throw threadRootNotFound()
  if (found.root !== 'thread root') throw threadRootInvalid()
  return found
}
