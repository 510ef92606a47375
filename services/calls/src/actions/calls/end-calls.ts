import type { Context } from '../../context.ts'
import { reportEndingFailed } from '../../metrics.ts'
import { listActiveCalls } from '../../store/calls.ts'
import { changeCall } from './change-call.ts'

const callsPerPage = 100

/**
 * Ends every call, because without a media server it is unknown who is connected. The next run retries calls that could
 * not be ended.
 */
export async function endCalls(ctx: Context, signal: AbortSignal): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const rows = await listActiveCalls(ctx.db, after, callsPerPage)
    for (const { id } of rows) {
      signal.throwIfAborted()
      await changeCall(ctx, id, { source: 'reconciliation', userIds: [] }, (call) => call.end()).catch(
        (error: unknown) => reportEndingFailed(error, id),
      )
    }
    after = rows.length < callsPerPage ? undefined : rows.at(-1)?.roomId
  }
}
