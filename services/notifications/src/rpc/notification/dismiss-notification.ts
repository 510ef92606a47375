import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { dismissOfUser } from '../../actions/dismissal/dismiss-of-user.ts'

export function dismissNotification(ctx: Context): MethodImpl<typeof NotificationService.method.dismissNotification> {
  return async ({ notificationId }, call) => {
    await dismissOfUser(ctx, callerOf(call).userId, notificationId)
    return { dismissed: true }
  }
}
