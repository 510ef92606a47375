import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { listActiveSessions } from '../../actions/credentials/list-active-sessions.ts'
import type { Context } from '../../context.ts'
import { toSession } from '../../view/session.ts'

export function listMySessions(ctx: Context): MethodImpl<typeof MyAccountService.method.listMySessions> {
  return async (_, call) => {
    const caller = callerOf(call)
    const now = ctx.now()
    const sessions = await listActiveSessions(ctx, caller.userId, now)
    return {
      sessions: sessions.map((session) => toSession(session, { caller, now, lifetimeMs: ctx.config.tokenTtlMs })),
    }
  }
}
