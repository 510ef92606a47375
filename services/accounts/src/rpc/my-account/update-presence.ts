import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'

export function updatePresence(ctx: Context): MethodImpl<typeof MyAccountService.method.updatePresence> {
  return async ({ status, userSelected }, call) => {
    return { status: await ctx.presence.report(callerOf(call).userId, status, userSelected) }
  }
}
