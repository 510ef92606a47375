import type { MethodImpl } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { notAChannel } from '../../errors.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { changeRoom } from '../../store/changes.ts'

export function archiveImportedRoom(ctx: Context): MethodImpl<typeof RoomsTransferService.method.archiveImportedRoom> {
  return async ({ roomId }, call) => {
    const cause = { actorId: '', at: ctx.now() }
    await makeChange(
      ctx,
      {
        ...{ roomId, userId: '', cause },
        decide: ({ room }) => {
          if (room.kind !== RoomKind.CHANNEL) throw notAChannel()
          return room.archived ? 'nothing' : 'change'
        },
        isAbout: isFactOf(['archived']),
        write: (tx, room) => changeRoom(tx, room, { case: 'archived', value: {} }, cause, { archived: true }),
        layoutAuditEvents: () => [],
      },
      call,
    )
    return {}
  }
}
