import type { MethodImpl } from '@connectrpc/connect'
import type { GetRoomEventsRequest, RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { decodeCursor } from '../../domain/cursor.ts'
import { clampLimit } from '../../domain/window.ts'
import { readAsMember } from '../../line/read.ts'
import { readTimeline, type Position } from '../../store/timeline.ts'
import { toPage, usersShown } from '../../view/timeline.ts'

export function getRoomEvents(ctx: Context): MethodImpl<typeof RoomService.method.getRoomEvents> {
  return async ({ roomId, limit, cursor }, call) => {
    const count = clampLimit(limit)
    const position = toPosition(cursor)
    const rows = await readAsMember(ctx, callerOf(call), roomId, (reader) =>
      // One more than asked for tells whether the page is the last one.
      readTimeline(ctx.pool, reader, position, count + 1),
    )
    const more = rows.length > count
    const newer = position !== undefined && 'after' in position
    const window = {
      rows: newer ? rows.slice(0, count) : rows.slice(-count),
      hasOlder: newer || more,
      hasNewer: newer ? more : position !== undefined,
    }
    const users = await ctx.profiles.get(usersShown(window.rows))
    return { page: toPage(roomId, window, users, cursor.value) }
  }
}

function toPosition(cursor: GetRoomEventsRequest['cursor']): Position {
  const seq = decodeCursor(cursor.value ?? '')
  if (seq === undefined) return undefined
  return cursor.case === 'after' ? { after: seq } : { before: seq }
}
