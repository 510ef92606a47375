import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { findAccessibleRooms } from '../../actions/directory/room-access.ts'
import type { Context } from '../../context.ts'
import { assertIdCount } from '../../domain/id-count.ts'
import { toRoomHeader } from '../../view/access.ts'

export function listAccessibleRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listAccessibleRooms> {
  return async ({ userId, roleIds, roomIds }) => {
    assertIdCount(roomIds)
    const rooms = await findAccessibleRooms(ctx, { userId, roleIds }, roomIds)
    return { rooms: rooms.map(toRoomHeader) }
  }
}
