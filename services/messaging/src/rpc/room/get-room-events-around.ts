import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { clampLimit, windowAround } from '../../domain/window.ts'
import { eventNotInTimeline } from '../../errors.ts'
import { readAsMember } from '../../actions/room-log/read.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { readTimelineAround } from '../../store/timeline.ts'
import { toPage, shownUserIds } from '../../view/timeline.ts'

export function getRoomEventsAround(ctx: Context): MethodImpl<typeof RoomService.method.getRoomEventsAround> {
  return async ({ roomId, eventId, limit }, call) => {
    const caller = callerOf(call)
    const count = clampLimit(limit)
    const anchorId = looksLikeId(eventId) ? eventId : ''
    const rows = await readAsMember(ctx, caller, roomId, (reader) =>
      readTimelineAround(ctx.pool, reader, anchorId, count),
    )
    const anchor = rows.findIndex((row) => row.eventId === anchorId)
    if (anchor < 0) throw eventNotInTimeline()
    const { target, ...window } = windowAround(count, rows.slice(0, anchor), rows.slice(anchor))
    const users = await ctx.profiles.get(shownUserIds(window.rows))
    return { page: toPage(viewContextOf(ctx, caller, roomId), window, users), targetIndex: target }
  }
}
