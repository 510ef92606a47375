import type { HandlerContext } from '@connectrpc/connect'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { canSee } from '../../policy/visibility.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'

/**
 * Returns the room for a repeated creation, once messaging has applied all stored changes of the room. Undefined if the
 * caller may no longer see the room. Throws `not_found` for an unknown room, and for a direct message of others.
 */
export async function getRoomOnceApplied(
  ctx: Context,
  call: HandlerContext,
  roomId = '',
): Promise<RoomRow | undefined> {
  const caller = callerOf(call)
  await getRoomWithStanding(ctx.db, caller.userId, roomId)
  await ctx.delivery.waitUntilApplied(roomId, call)
  const { room, standing } = await getRoomWithStanding(ctx.db, caller.userId, roomId)
  return canSee(ctx.policy.current(), caller, toPolicyRoom(room), standing) ? room : undefined
}
