import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationPreferencesService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findLevels } from '../../store/notification-levels.ts'
import { toPreference } from '../../view/preferences.ts'

type Method = typeof NotificationPreferencesService.method.getRoomNotificationPreference

export function getRoomNotificationPreference(ctx: Context): MethodImpl<Method> {
  return async ({ roomId }, call) => {
    const caller = callerOf(call)
    await ctx.rooms.assertMember(caller, roomId)
    return { preference: toPreference(await findLevels(ctx.db, caller.userId, roomId), roomId) }
  }
}
