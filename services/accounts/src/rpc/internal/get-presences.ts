import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'

const maxIds = 1_000

export function getPresences(ctx: Context): MethodImpl<typeof AccountsInternalService.method.getPresences> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw tooManyAtOnce('user ids', maxIds)
    const found = await ctx.presence.of(userIds)
    // While reports may have been lost, a user without a status may be online.
    if (!found || ctx.presence.isUnsure) return { unknown: true }
    return { presences: [...found].map(([userId, status]) => ({ userId, status })) }
  }
}
