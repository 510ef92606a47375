import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { roomRemoved } from '../../domain/layout-event.ts'
import { groupNotFound } from '../../errors.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { decideRoomMove } from '../../policy/arrangement.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { changeRoom } from '../../store/changes.ts'
import { groupExists } from '../../store/groups.ts'
import { moveItem } from '../../store/layout.ts'
import { toRoom } from '../../view/room.ts'

export function moveRoomToGroup(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.moveRoomToGroup> {
  return async ({ roomId, groupId }, call) => {
    const caller = callerOf(call)
    const cause = { actorId: caller.userId, at: ctx.now() }
    let originId: string | undefined
    const { room } = await makeChange(
      ctx,
      {
        roomId,
        userId: caller.userId,
        cause,
        decide: ({ room }) => {
          // The first call of `decide`, without the lock, sets the origin.
          originId ??= toPolicyRoom(room).groupId
          return decideRoomMove(ctx.policy.current(), caller, toPolicyRoom(room), { originId, groupId })
        },
        isAbout: isFactOf(['created', 'moved']),
        write: async (tx, room) => {
          if (!(await groupExists(tx, groupId))) throw groupNotFound()
          await moveItem(tx, roomId, groupId)
          return await changeRoom(tx, room, { case: 'moved', value: { groupId } }, cause, { groupId })
        },
        layoutAuditEvents: (before) => [roomRemoved(toPolicyRoom(before).groupId, roomId)],
      },
      call,
    )
    return { room: toRoom(room) }
  }
}
