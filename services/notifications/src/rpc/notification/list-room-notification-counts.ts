import type { MethodImpl } from '@connectrpc/connect'
import type { NotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { countByRoom } from '../../store/pending.ts'

type Method = typeof NotificationService.method.listRoomNotificationCounts

export function listRoomNotificationCounts(ctx: Context): MethodImpl<Method> {
  return async (_, call) => {
    const counts = await countByRoom(ctx.db, callerOf(call).userId)
    return { roomCounts: counts.map(({ roomId, count }) => ({ roomId, totalCount: Number(count) })) }
  }
}
