import type { HandlerContext } from '@connectrpc/connect'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomSeen } from '../../store/seen-rooms.ts'

/**
 * The current room, once its stored changes are in effect: the response to a repeated creation. Throws `not_found` when
 * the caller may no longer see it.
 */
export async function settledRoom(ctx: Context, call: HandlerContext, roomId = ''): Promise<RoomRow> {
  const { userId } = callerOf(call)
  const stored = await getRoomSeen(ctx.db, userId, roomId)
  await ctx.delivery.settle(roomId, stored.room.version, call)
  return (await getRoomSeen(ctx.db, userId, roomId)).room
}
