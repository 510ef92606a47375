import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findReadableRooms } from '../../actions/list/readable-rooms.ts'

type Method = typeof NotificationService.method.listRoomNotificationCounts

export function listRoomNotificationCounts(ctx: Context): MethodImpl<Method> {
  return async (_, call) => {
    const { rooms } = await findReadableRooms(ctx, callerOf(call))
    return { roomCounts: rooms.map(({ roomId, count }) => ({ roomId, totalCount: Number(count) })) }
  }
}
