import type { MethodImpl } from '@connectrpc/connect'
import type { ServerDiscoveryService } from '@parley/contracts/discovery'
import type { Context } from '../../context.ts'
import { getServerProfile } from '../../store/server-profile.ts'
import { toPublicProfile, toServerLogin } from '../../view/server.ts'

export function getServer(ctx: Context): MethodImpl<typeof ServerDiscoveryService.method.getServer> {
  return async () => {
    const row = await getServerProfile(ctx.db)
    const profile = toPublicProfile(row, ctx.config)
    const login = toServerLogin(ctx.config)
    return {
      profile,
      login,
      publicProfile: profile,
      directRegistrationEnabled: login.directRegistrationEnabled,
      loginProviders: login.providers,
      ...(row.motd !== null && { motdVersion: row.version }),
    }
  }
}
