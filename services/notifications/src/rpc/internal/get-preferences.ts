import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { listNotificationLevels } from '../../store/notification-levels.ts'
import { toPreferences } from '../../view/preferences.ts'

export function getPreferences(ctx: Context): MethodImpl<typeof NotificationsInternalService.method.getPreferences> {
  return async (req) => toPreferences(await listNotificationLevels(ctx.db, req.userId))
}
