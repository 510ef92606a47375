import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'

const maxIds = 1000

export function getPresences(ctx: Context): MethodImpl<typeof AccountsInternalService.method.getPresences> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw tooManyAtOnce('user ids', maxIds)
    const found = await ctx.presence.of(userIds)
    if (!found || ctx.presence.isUnsure) return { unknown: true }
    return { presences: [...found].map(([userId, status]) => ({ userId, status })) }
  }
}
