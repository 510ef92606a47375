import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { changeMessage } from '../../actions/room-log/change.ts'
import { planRetraction } from '../../actions/room-log/retract.ts'

export function deleteMessage(ctx: Context): MethodImpl<typeof MessageService.method.deleteMessage> {
  return async ({ roomId, eventId }, call) => {
    const caller = callerOf(call)
    await changeMessage(ctx, caller, { roomId, eventId, signal: call.signal }, (found) =>
      planRetraction(ctx, caller, found),
    )
    return { deleted: true }
  }
}
