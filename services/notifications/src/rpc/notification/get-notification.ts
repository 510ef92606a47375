import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { notificationNotFound } from '../../errors.ts'
import { show } from '../../list/show.ts'
import { findPending } from '../../store/pending.ts'

export function getNotification(ctx: Context): MethodImpl<typeof NotificationService.method.getNotification> {
  return async ({ notificationId }, call) => {
    const pending = await findPending(ctx.db, callerOf(call).userId, [notificationId])
    const [notification] = await show(ctx, pending)
    if (!notification) throw notificationNotFound()
    return { notification }
  }
}
