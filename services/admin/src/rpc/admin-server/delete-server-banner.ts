import type { MethodImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { clearImage } from '../../actions/branding/change-image.ts'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'

export function deleteServerBanner(ctx: Context): MethodImpl<typeof AdminServerService.method.deleteServerBanner> {
  return async (_req, call) => {
    const caller = callerOf(call)
    assertMay(ctx.policy.current(), caller, 'server.manage')
    return { publicProfile: await clearImage(ctx, 'banner', caller) }
  }
}
