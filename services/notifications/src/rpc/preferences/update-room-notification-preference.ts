import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationPreferencesService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { changeLevel } from '../../actions/preferences/change-level.ts'

type Method = typeof NotificationPreferencesService.method.updateRoomNotificationPreference

export function updateRoomNotificationPreference(ctx: Context): MethodImpl<Method> {
  return async ({ roomId, level }, call) => {
    const caller = callerOf(call)
    await ctx.rooms.assertMember(caller, roomId)
    return { preference: await changeLevel(ctx, { userId: caller.userId, roomId }, level) }
  }
}
