import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { show } from '../../list/show.ts'
import { findPending } from '../../store/pending.ts'

type Method = typeof NotificationService.method.batchGetNotifications

export function batchGetNotifications(ctx: Context): MethodImpl<Method> {
  return async ({ notificationIds }, call) => {
    const pending = await findPending(ctx.db, callerOf(call).userId, [...new Set(notificationIds)])
    return { notifications: await show(ctx, pending) }
  }
}
