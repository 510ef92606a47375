import type { MethodImpl } from '@connectrpc/connect'
import type { RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showGroups } from '../../actions/directory/show-groups.ts'
import type { Context } from '../../context.ts'
import { groupNotFound } from '../../errors.ts'
import { findGroups } from '../../store/groups.ts'

export function getRoomGroup(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.getRoomGroup> {
  return async ({ groupId }, call) => {
    const [group] = await showGroups(ctx, callerOf(call), await findGroups(ctx.db, [groupId]))
    if (!group) throw groupNotFound()
    return { group }
  }
}
