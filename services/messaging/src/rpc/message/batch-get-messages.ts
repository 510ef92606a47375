import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { readVisibleMessages } from '../../actions/room-log/read.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { toMessage } from '../../view/message.ts'

export function batchGetMessages(ctx: Context): MethodImpl<typeof MessageService.method.batchGetMessages> {
  return async ({ roomId, eventIds }, call) => {
    const caller = callerOf(call)
    const rows = await readVisibleMessages(ctx, caller, roomId, eventIds)
    const found = new Map(rows.map((row) => [row.eventId, row]))
    const inOrder = [...new Set(eventIds)].flatMap((id) => found.get(id) ?? [])
    return { messages: inOrder.map((row) => toMessage(viewContextOf(ctx, caller, roomId), row)) }
  }
}
