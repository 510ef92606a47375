import type { HandlerContext, MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideArchiving } from '../../policy/management.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { changeRoom } from '../../store/changes.ts'
import { toRoom } from '../../view/room.ts'

export function archiveRoom(ctx: Context): MethodImpl<typeof RoomService.method.archiveRoom> {
  return async ({ roomId }, call) => ({ room: await setArchived(ctx, call, roomId, true) })
}

export function unarchiveRoom(ctx: Context): MethodImpl<typeof RoomService.method.unarchiveRoom> {
  return async ({ roomId }, call) => ({ room: await setArchived(ctx, call, roomId, false) })
}

async function setArchived(ctx: Context, call: HandlerContext, roomId: string, archived: boolean) {
  const caller = callerOf(call)
  const cause = { actorId: caller.userId, at: ctx.now() }
  const { room } = await makeChange(
    ctx,
    {
      roomId,
      userId: caller.userId,
      cause,
      decide: ({ room }) => decideArchiving(ctx.policy.current(), caller, toPolicyRoom(room), archived),
      isAbout: isFactOf([archived ? 'archived' : 'unarchived']),
      write: (tx, room) => {
        const change = archived ? 'archived' : 'unarchived'
        return changeRoom(tx, room, { case: change, value: {} }, cause, { archived })
      },
      layoutAuditEvents: () => [],
    },
    call,
  )
  return toRoom(room)
}
