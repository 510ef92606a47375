import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { decideFollowing } from '../../store/follows.ts'
import { toFollowEvent } from '../../view/reader-events.ts'
import { changeReader } from './change-reader.ts'
import { findThread, type Thread } from './find-thread.ts'

/** Follows or unfollows a thread by the user's decision, which actions of others do not change. */
export async function decide(ctx: Context, caller: Subject, thread: Thread, following: boolean): Promise<void> {
  await findThread(ctx, caller, thread)
  await changeReader(
    ctx,
    caller.userId,
    (on, change) => decideFollowing(on, change, thread, following),
    (change) => toFollowEvent(change, thread, following),
  )
}
