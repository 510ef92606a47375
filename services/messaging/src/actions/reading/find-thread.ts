import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { isDm } from '../../domain/room-line.ts'
import { accountDeleted, roomNotFound, threadInDm, threadRootInvalid, threadRootNotFound } from '../../errors.ts'
import { assertReads } from '../../policy/room-access.ts'
import { findPlacesInThread, type ReadPlaces } from '../../store/read-places.ts'

/** The ids with which a request names a thread. */
export type Thread = { roomId: string; rootEventId: string }

/** A readable thread with the caller's state in it; throws when there is none. */
export async function findThread(
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
  assertReads(ctx.policy(), caller, found.room, found.standing)
  if (isDm(found.room)) throw threadInDm()
  if (!found.root) throw threadRootNotFound()
  if (found.root !== 'thread root') throw threadRootInvalid()
  return found
}
