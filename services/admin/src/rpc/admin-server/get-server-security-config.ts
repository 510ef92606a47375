import type { MethodImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { listBlockedUsernames } from '../../store/blocked-usernames.ts'

export function getServerSecurityConfig(
  ctx: Context,
): MethodImpl<typeof AdminServerService.method.getServerSecurityConfig> {
  return async (_req, call) => {
    assertMay(ctx.policy.current(), callerOf(call), 'server.manage')
    return { blockedUsernames: await listBlockedUsernames(ctx.db) }
  }
}
