import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationPreferencesService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { changeLevel } from '../../actions/preferences/change-level.ts'

type Method = typeof NotificationPreferencesService.method.updateServerNotificationPreference

export function updateServerNotificationPreference(ctx: Context): MethodImpl<Method> {
  return async ({ level }, call) => {
    const { userId } = callerOf(call)
    return { preference: await changeLevel(ctx, { userId, roomId: '' }, level) }
  }
}
