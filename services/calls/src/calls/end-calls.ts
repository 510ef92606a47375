import type { Context } from '../context.ts'
import { listActiveCalls } from '../store/calls.ts'
import { changeCall } from './change-call.ts'

const callsAtOnce = 100

/** Ends every active call: nobody can tell any more who is there. */
export async function endCalls(ctx: Context, signal: AbortSignal): Promise<void> {
  for (let ended = callsAtOnce; ended === callsAtOnce;) {
    const rows = await listActiveCalls(ctx.db, '', callsAtOnce)
    for (const { id } of rows) {
      signal.throwIfAborted()
      await changeCall(ctx, id, { source: 'reconciliation', userIds: [] }, (call) => call.end())
    }
    ended = rows.length
  }
}
