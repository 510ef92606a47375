import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findLevel, storeLevel } from '../../store/notification-levels.ts'

type Method = typeof MessagingInternalService.method.applyNotificationLevel

export function applyNotificationLevel(ctx: Pick<Context, 'db'>): MethodImpl<Method> {
  return async ({ userId, roomId, level, version }) => {
    await storeLevel(ctx.db, { userId, roomId, level, version })
    return (await findLevel(ctx.db, { userId, roomId })) ?? {}
  }
}
