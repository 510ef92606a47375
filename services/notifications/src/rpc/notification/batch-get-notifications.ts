import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { showPending } from '../../actions/list/show.ts'

type Method = typeof NotificationService.method.batchGetNotifications

export function batchGetNotifications(ctx: Context): MethodImpl<Method> {
  return async ({ notificationIds }, call) => {
    return { notifications: await showPending(ctx, callerOf(call), [...new Set(notificationIds)]) }
  }
}
