import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { encodeCursor, positionOf } from '../../domain/cursor.ts'
import { clampLimit, windowAt } from '../../domain/window.ts'
import { readThread } from '../../actions/room-log/read.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { readReplies } from '../../store/thread-events.ts'
import { toPage, shownUserIds } from '../../view/timeline.ts'

export function getThreadEvents(ctx: Context): MethodImpl<typeof ThreadService.method.getThreadEvents> {
  return async ({ roomId, threadRootEventId, limit, cursor }, call) => {
    const caller = callerOf(call)
    const count = clampLimit(limit)
    const position = positionOf(cursor)
    const thread = { roomId, rootEventId: threadRootEventId }
    const { root, replies } = await readThread(ctx, caller, thread, (reader, rootEventId) =>
      readReplies(ctx.pool, reader, rootEventId, position, count + 1),
    )
    const window = windowAt(count, position, replies)
    const firstPageRoot = position ? undefined : root
    const users = await ctx.profiles.get(shownUserIds([...(firstPageRoot ? [firstPageRoot] : []), ...window.rows]))
    // Needed for a page without replies.
    const requestCursor = cursor.value || encodeCursor(root.seq)
    return { page: toPage(viewContextOf(ctx, caller, roomId), window, users, { requestCursor, root: firstPageRoot }) }
  }
}
