import type { MethodImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { getServerProfile } from '../../store/server-profile.ts'
import { toPublicProfile, toServerConfig } from '../../view/server.ts'

export function getServerConfig(ctx: Context): MethodImpl<typeof AdminServerService.method.getServerConfig> {
  return async (_req, call) => {
    assertMay(ctx.policy.current(), callerOf(call), 'server.manage')
    const profile = await getServerProfile(ctx.db)
    return { config: toServerConfig(profile), publicProfile: toPublicProfile(profile, ctx.config) }
  }
}
