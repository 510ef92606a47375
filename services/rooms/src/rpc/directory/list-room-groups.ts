import type { MethodImpl } from '@connectrpc/connect'
import type { RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showGroups } from '../../actions/directory/show-groups.ts'
import type { Context } from '../../context.ts'
import { findGroups } from '../../store/groups.ts'

export function listRoomGroups(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.listRoomGroups> {
  return async (_req, call) => ({ groups: await showGroups(ctx, callerOf(call), await findGroups(ctx.db)) })
}
