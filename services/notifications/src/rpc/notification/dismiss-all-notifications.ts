import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { dismissOfUser } from '../../actions/dismissal/dismiss-of-user.ts'

type Method = typeof NotificationService.method.dismissAllNotifications

export function dismissAllNotifications(ctx: Context): MethodImpl<Method> {
  return async (_, call) => ({
    dismissedCount: await dismissOfUser(ctx, callerOf(call).userId),
  })
}
