import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { changeMessage } from '../../actions/room-log/change.ts'
import { planPreviewRemoval } from '../../actions/room-log/remove-part.ts'

export function deleteLinkPreview(ctx: Context): MethodImpl<typeof MessageService.method.deleteLinkPreview> {
  return async ({ roomId, eventId, url }, call) => {
    const caller = callerOf(call)
    await changeMessage(ctx, caller, { roomId, eventId, signal: call.signal }, (found) =>
      planPreviewRemoval(ctx, caller, url, found),
    )
    return { deleted: true }
  }
}
