import type { MethodImpl } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { getServerProfile } from '../../store/server-profile.ts'
import { toServerName } from '../../view/server.ts'

export function getServerName(ctx: Context): MethodImpl<typeof AdminInternalService.method.getServerName> {
  return async () => ({ name: toServerName(await getServerProfile(ctx.db)) })
}
