import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationPreferencesService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findLevels } from '../../store/notification-levels.ts'
import { toPreference } from '../../view/preferences.ts'

type Method = typeof NotificationPreferencesService.method.getServerNotificationPreference

export function getServerNotificationPreference(ctx: Context): MethodImpl<Method> {
  return async (_, call) => ({ preference: toPreference(await findLevels(ctx.db, callerOf(call).userId)) })
}
