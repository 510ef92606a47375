import type { HandlerContext } from '@connectrpc/connect'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'

/**
 * Returns the current room once messaging has applied its stored changes: the response to a repeated creation. Throws
 * `not_found` when the caller may no longer see it.
 */
export async function getRoomOnceApplied(ctx: Context, call: HandlerContext, roomId = ''): Promise<RoomRow> {
  const { userId } = callerOf(call)
  await getRoomWithStanding(ctx.db, userId, roomId)
  await ctx.delivery.waitUntilApplied(roomId, call)
  return (await getRoomWithStanding(ctx.db, userId, roomId)).room
}
