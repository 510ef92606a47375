import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { recipientsIn } from '../../actions/directory/recipients.ts'
import type { Context } from '../../context.ts'
import { assertFewIds } from '../../domain/few-ids.ts'
import { toRoomHeader } from '../../view/access.ts'

const maxAtOnce = 1000
const maxRoles = 100

export function listRecipients(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listRecipients> {
  return async ({ roomId, userIds, roleIds, all, after, limit }) => {
    assertFewIds(userIds, maxAtOnce)
    assertFewIds(roleIds, maxRoles)
    const page = { after, limit: Math.min(limit || maxAtOnce, maxAtOnce) }
    const found = await recipientsIn(ctx, roomId, { userIds, roleIds, all }, page)
    return found ? { userIds: found.userIds, room: toRoomHeader(found.room) } : {}
  }
}
