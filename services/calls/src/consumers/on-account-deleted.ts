import type { EventHandler } from '@parley/events'
import { changeLocked, leaveCall } from '../calls/change-call.ts'
import type { Context } from '../context.ts'
import { lockCall } from '../store/calls.ts'
import { callsWith } from '../store/participants.ts'

/** An account is gone: its owner is in no call any more. */
export const onAccountDeleted =
  (ctx: Context): EventHandler =>
  async ({ aggregateId: userId }, tx) => {
    for (const callId of await callsWith(tx, userId)) {
      const row = await lockCall(tx, callId)
      if (!row || row.endedAt !== null) continue
      await changeLocked(ctx, tx, row, { source: 'user', userIds: [userId] }, (call) => leaveCall(call, userId))
    }
  }
