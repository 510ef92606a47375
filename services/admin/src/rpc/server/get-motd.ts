import type { MethodImpl } from '@connectrpc/connect'
import type { ServerService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { getServerProfile } from '../../store/server-profile.ts'

export function getMotd(ctx: Context): MethodImpl<typeof ServerService.method.getMotd> {
  return async () => {
    const { motd } = await getServerProfile(ctx.db)
    return motd === null ? {} : { motd }
  }
}
