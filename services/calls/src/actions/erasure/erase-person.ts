import { deleteAnswersOf } from '@parley/service'
import { changeCall, leaveCall } from '../calls/change-call.ts'
import type { Context } from '../../context.ts'
import { countChoresOf } from '../../store/media-chores.ts'
import { findActiveCallIds, forgetParticipationsOf } from '../../store/participants.ts'

/** Returns the number of rows found, including chores for the media server, which are deleted when they are done. */
export const erasePerson =
  (ctx: Context) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    for (const callId of await findActiveCallIds(ctx.db, userId)) {
      signal.throwIfAborted()
      const about = { source: 'user', userIds: [userId] } as const
      await changeCall(ctx, callId, about, (call) => leaveCall(call, userId))
    }
    const participations = await forgetParticipationsOf(ctx.db, userId, signal)
    const answers = await deleteAnswersOf(ctx.db, userId, signal)
    return participations + answers + (await countChoresOf(ctx.db, userId))
  }
