import type { MethodImpl } from '@connectrpc/connect'
import type { RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showGroups } from '../../actions/directory/show-groups.ts'
import type { Context } from '../../context.ts'
import { inOrderOfIds } from '../../domain/in-order.ts'
import { findGroups } from '../../store/groups.ts'

export function batchGetRoomGroups(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.batchGetRoomGroups> {
  return async ({ groupIds }, call) => {
    const groups = await showGroups(ctx, callerOf(call), await findGroups(ctx.db, groupIds))
    return { groups: inOrderOfIds(groupIds, groups, ({ id }) => id) }
  }
}
