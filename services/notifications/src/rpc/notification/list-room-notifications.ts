import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { showPage } from '../../actions/list/show.ts'

type Method = typeof NotificationService.method.listRoomNotifications

/** Returns an empty page to callers who are not members of the room. */
export function listRoomNotifications(ctx: Context): MethodImpl<Method> {
  return async ({ roomId, page }, call) => showPage(ctx, callerOf(call), page, roomId)
}
