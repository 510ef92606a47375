import type { MethodImpl } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { groupDeleted, roomRemoved } from '../../domain/layout-event.ts'
import { isFactOf, type Cause } from '../../domain/room-fact.ts'
import { makeChange, type RemainingTime } from '../../engines/delivery/index.ts'
import { groupNotFound, notAChannel } from '../../errors.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { changeRoom } from '../../store/changes.ts'
import { deleteGroup, findGroups, groupExists, isGroupEmpty } from '../../store/groups.ts'
import { moveItem } from '../../store/layout.ts'

export function removeImportedGroup(ctx: Context): MethodImpl<typeof RoomsTransferService.method.removeImportedGroup> {
  return async ({ groupId, roomIds }, call) => {
    const cause = { actorId: '', at: ctx.now() }
    const other = (await findGroups(ctx.db)).find(({ id }) => id !== groupId)
    if (!other) return { removed: false }
    for (const roomId of roomIds) await moveOut(ctx, { roomId, from: groupId, to: other.id }, cause, call)
    const removed = await changeLayout(ctx, cause, call, async (tx) => {
      if (!(await groupExists(tx, groupId))) return { answer: true }
      if (!(await isGroupEmpty(tx, groupId))) return { answer: false }
      await deleteGroup(tx, groupId)
      return { answer: true, groupId, auditEvents: [groupDeleted(groupId)] }
    })
    return { removed }
  }
}

type MoveOut = { roomId: string; from: string; to: string }

async function moveOut(ctx: Context, { roomId, from, to }: MoveOut, cause: Cause, remaining: RemainingTime) {
  await makeChange(
    ctx,
    {
      ...{ roomId, userId: '', cause },
      decide: ({ room }) => {
        if (room.kind !== RoomKind.CHANNEL) throw notAChannel()
        return toPolicyRoom(room).groupId === from ? 'change' : 'nothing'
      },
      isAbout: isFactOf(['created', 'moved']),
      write: async (tx, room) => {
        if (!(await groupExists(tx, to))) throw groupNotFound()
        await moveItem(tx, roomId, to)
        return await changeRoom(tx, room, { case: 'moved', value: { groupId: to } }, cause, { groupId: to })
      },
      layoutAuditEvents: () => [roomRemoved(from, roomId)],
    },
    remaining,
  )
}
