import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { findRoomAccess } from '../../actions/directory/room-access.ts'
import type { Context } from '../../context.ts'
import { toRoomHeader } from '../../view/access.ts'

export function getRoomAccess(ctx: Context): MethodImpl<typeof RoomsInternalService.method.getRoomAccess> {
  return async ({ userId, roleIds, roomId, useStoredRoles }) => {
    const access = await findRoomAccess(ctx, { userId, roleIds: useStoredRoles ? undefined : roleIds }, roomId)
    if (!access) return { exists: false }
    return { exists: true, effectiveMember: access.effectiveMember, room: toRoomHeader(access.room) }
  }
}
