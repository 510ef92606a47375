import type { MethodImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { setImage } from '../../actions/branding/change-image.ts'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'

export function uploadServerLogo(ctx: Context): MethodImpl<typeof AdminServerService.method.uploadServerLogo> {
  return async (_req, call) => {
    const caller = callerOf(call)
    assertMay(ctx.policy.current(), caller, 'server.manage')
    return { publicProfile: await setImage(ctx, 'logo', caller, call) }
  }
}
