import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { messageNotFound, nothingToUpdate } from '../../errors.ts'
import { changeMessage } from '../../actions/room-log/change.ts'
import { readVisibleMessages } from '../../actions/room-log/read.ts'
import { planUpdate } from '../../actions/room-log/update.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { toMessage } from '../../view/message.ts'

export function updateMessage(ctx: Context): MethodImpl<typeof MessageService.method.updateMessage> {
  return async ({ roomId, eventId, body, alsoSendToChannel: withEcho }, call) => {
    const caller = callerOf(call)
    if (body === undefined && withEcho === undefined) throw nothingToUpdate()
    const decide = planUpdate.bind(undefined, ctx, caller, { eventId, body, withEcho })
    const changed = await changeMessage(ctx, caller, { roomId, eventId, signal: call.signal }, decide)
    if (changed.kind === 'written' && changed.result)
      return { message: toMessage(viewContextOf(ctx, caller, roomId), changed.result) }
    // If the request removed the echo that it names, the response contains the reply.
    const rows = await readVisibleMessages(ctx, caller, roomId, [eventId, changed.found.message.eventId])
    const row = rows.find((row) => row.eventId === eventId) ?? rows[0]
    if (!row) throw messageNotFound()
    return { message: toMessage(viewContextOf(ctx, caller, roomId), row) }
  }
}
