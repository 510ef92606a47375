import type { MethodImpl } from '@connectrpc/connect'
import { isEffectiveMember } from '@parley/permissions'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { headOf } from '../../policy/standing.ts'
import { isForeignDm } from '../../policy/visibility.ts'
import { findRoleIds } from '../../store/people.ts'
import { findRoom } from '../../store/seen-rooms.ts'
import { toRoomHeader } from '../../view/access.ts'

export function getRoomAccess(ctx: Context): MethodImpl<typeof RoomsInternalService.method.getRoomAccess> {
  return async ({ userId, roleIds: givenRoleIds, roomId, heardRoles }) => {
    const seen = await findRoom(ctx.db, userId, roomId)
    if (!seen || isForeignDm(seen)) return { exists: false }
    const { room, standing } = seen
    const roleIds = heardRoles ? await findRoleIds(ctx.db, userId) : givenRoleIds
    // A deleted user is a member of no room, not even of universal ones.
    const effectiveMember =
      roleIds !== undefined && isEffectiveMember(ctx.policy.current(), { userId, roleIds }, headOf(room), standing)
    return { exists: true, effectiveMember, room: toRoomHeader(room) }
  }
}
