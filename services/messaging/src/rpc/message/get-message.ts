import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { messageNotFound } from '../../errors.ts'
import { readVisibleMessages } from '../../actions/room-log/read.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { toMessage } from '../../view/message.ts'

export function getMessage(ctx: Context): MethodImpl<typeof MessageService.method.getMessage> {
  return async ({ roomId, eventId }, call) => {
    const caller = callerOf(call)
    const [row] = await readVisibleMessages(ctx, caller, roomId, [eventId])
    if (!row) throw messageNotFound()
    return { message: toMessage(viewContextOf(ctx, caller, roomId), row) }
  }
}
