import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { showPage } from '../../actions/list/show.ts'

export function listNotifications(ctx: Context): MethodImpl<typeof NotificationService.method.listNotifications> {
  return async ({ page }, call) => showPage(ctx, callerOf(call), page)
}
