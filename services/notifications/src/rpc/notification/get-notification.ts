import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { notificationNotFound } from '../../errors.ts'
import { showPending } from '../../actions/list/show.ts'

export function getNotification(ctx: Context): MethodImpl<typeof NotificationService.method.getNotification> {
  return async ({ notificationId }, call) => {
    const [notification] = await showPending(ctx, callerOf(call), [notificationId])
    if (!notification) throw notificationNotFound()
    return { notification }
  }
}
