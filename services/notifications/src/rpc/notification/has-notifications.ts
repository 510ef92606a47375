import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findReadableRooms } from '../../actions/list/readable-rooms.ts'

export function hasNotifications(ctx: Context): MethodImpl<typeof NotificationService.method.hasNotifications> {
  return async (_, call) => ({
    hasNotifications: (await findReadableRooms(ctx, callerOf(call))).rooms.length > 0,
  })
}
