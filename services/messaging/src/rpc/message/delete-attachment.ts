import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { changeMessage } from '../../actions/room-log/change.ts'
import { planAttachmentRemoval } from '../../actions/room-log/remove-part.ts'

export function deleteAttachment(ctx: Context): MethodImpl<typeof MessageService.method.deleteAttachment> {
  return async ({ roomId, eventId, attachmentId }, call) => {
    const caller = callerOf(call)
    const decide = planAttachmentRemoval.bind(undefined, ctx, caller, attachmentId)
    await changeMessage(ctx, caller, { roomId, eventId, signal: call.signal }, decide)
    return { deleted: true }
  }
}
