import type { HandlerContext } from '@connectrpc/connect'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'

/**
 * Waits until messaging has applied all stored changes of a room, and returns the room: the response to a repeated
 * creation. Throws `not_found` for an unknown room, and for a direct message in which the caller does not take part.
 */
export async function getRoomOnceApplied(ctx: Context, call: HandlerContext, roomId = ''): Promise<RoomRow> {
  const { userId } = callerOf(call)
  await getRoomWithStanding(ctx.db, userId, roomId)
  await ctx.delivery.waitUntilApplied(roomId, call)
  return (await getRoomWithStanding(ctx.db, userId, roomId)).room
}
