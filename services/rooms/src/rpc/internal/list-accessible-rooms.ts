import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { accessibleAmong } from '../../actions/directory/room-access.ts'
import type { Context } from '../../context.ts'
import { assertFewIds } from '../../domain/few-ids.ts'
import { toRoomHeader } from '../../view/access.ts'

export function listAccessibleRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listAccessibleRooms> {
  return async ({ userId, roleIds, roomIds }) => {
    assertFewIds(roomIds)
    const rooms = await accessibleAmong(ctx, { userId, roleIds }, roomIds)
    return { rooms: rooms.map(toRoomHeader) }
  }
}
