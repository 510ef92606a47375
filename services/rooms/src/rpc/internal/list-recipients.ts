import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { findRoomAndRecipients } from '../../actions/directory/recipients.ts'
import type { Context } from '../../context.ts'
import { assertIdCount } from '../../domain/id-count.ts'
import { toRoomHeader } from '../../view/access.ts'

const maxUsers = 1000
const maxRoles = 100

export function listRecipients(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listRecipients> {
  return async ({ roomId, userIds, roleIds, all, after, limit }) => {
    assertIdCount(userIds, maxUsers)
    assertIdCount(roleIds, maxRoles)
    const page = { after, limit: Math.min(limit || maxUsers, maxUsers) }
    const found = await findRoomAndRecipients(ctx, roomId, { userIds, roleIds, all }, page)
    return found ? { userIds: found.userIds, room: toRoomHeader(found.room) } : {}
  }
}
