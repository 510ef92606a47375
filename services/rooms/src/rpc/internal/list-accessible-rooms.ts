import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertFewIds } from '../../domain/few-ids.ts'
import { roomsOfMember } from '../../policy/visibility.ts'
import { findRoleIds } from '../../store/people.ts'
import { findRooms } from '../../store/seen-rooms.ts'
import { toRoomHeader } from '../../view/access.ts'

export function listAccessibleRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listAccessibleRooms> {
  return async ({ userId, roleIds, roomIds }) => {
    assertFewIds(roomIds)
    const [seen, storedRoleIds] = await Promise.all([findRooms(ctx.db, userId, roomIds), findRoleIds(ctx.db, userId)])
    // A deleted user is a member of no room, not even of universal ones.
    const own = storedRoleIds === undefined ? [] : roomsOfMember(ctx.policy.current(), { userId, roleIds }, seen)
    return { rooms: own.map(({ room }) => toRoomHeader(room)) }
  }
}
