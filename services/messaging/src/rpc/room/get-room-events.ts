import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { positionOf } from '../../domain/cursor.ts'
import { clampLimit, windowAt } from '../../domain/window.ts'
import { readAsMember } from '../../actions/room-log/read.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { readTimeline } from '../../store/timeline.ts'
import { toPage, shownUserIds } from '../../view/timeline.ts'

export function getRoomEvents(ctx: Context): MethodImpl<typeof RoomService.method.getRoomEvents> {
  return async ({ roomId, limit, cursor }, call) => {
    const caller = callerOf(call)
    const count = clampLimit(limit)
    const position = positionOf(cursor)
    const rows = await readAsMember(ctx, caller, roomId, (reader) =>
      readTimeline(ctx.pool, reader, position, count + 1),
    )
    const window = windowAt(count, position, rows)
    const users = await ctx.profiles.get(shownUserIds(window.rows))
    return { page: toPage(viewContextOf(ctx, caller, roomId), window, users, { requestCursor: cursor.value }) }
  }
}
