import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { decideFollowing } from '../../store/follows.ts'
import { toFollowEvent } from '../../view/reader-events.ts'
import { changeReader } from './change-reader.ts'
import { getThreadPlaces, type Thread } from './get-thread-places.ts'

/** Actions of other users do not change this decision. */
export async function setFollowing(ctx: Context, caller: Subject, thread: Thread, following: boolean): Promise<void> {
  await getThreadPlaces(ctx, caller, thread)
  await changeReader(
    ctx,
    caller.userId,
    (on, change) => decideFollowing(on, change, thread, following),
    (change) => toFollowEvent(change, thread, following),
  )
}
