import type { EventHandler } from '@parley/events'
import type { Tx } from '@parley/postgres'
import { changeLockedCall, leaveCall } from '../actions/calls/change-call.ts'
import type { Context } from '../context.ts'
import { lockCall } from '../store/calls.ts'
import { findActiveCallIds } from '../store/participants.ts'

export const onAccountDeleted =
  (ctx: Context): EventHandler =>
  ({ aggregateId }, tx) =>
    leaveCalls(ctx, tx, aggregateId)

/** A deactivated account leaves all calls. Credentials that end for other reasons do not affect calls. */
export const onCredentialsEnded =
  (ctx: Context): EventHandler =>
  async ({ aggregateId, fact }, tx) => {
    if (fact.case === 'credentialsEnded' && fact.value.reason === 'account_deactivated')
      await leaveCalls(ctx, tx, aggregateId)
  }

async function leaveCalls(ctx: Context, tx: Tx, userId: string): Promise<void> {
  for (const callId of await findActiveCallIds(tx, userId)) {
    const row = await lockCall(tx, callId)
    if (!row || row.endedAt !== null) continue
    await changeLockedCall(ctx, tx, row, { source: 'user', userIds: [userId] }, (call) => leaveCall(call, userId))
  }
}
