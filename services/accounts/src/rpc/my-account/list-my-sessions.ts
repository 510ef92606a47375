import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { sessionsOf } from '../../domain/sessions.ts'
import { listCredentials } from '../../store/credentials.ts'
import { getAccount } from '../../store/users.ts'
import { toSession } from '../../view/session.ts'

export function listMySessions(ctx: Context): MethodImpl<typeof MyAccountService.method.listMySessions> {
  return async (_, call) => {
    const caller = callerOf(call)
    const now = ctx.now()
    const credentials = await listCredentials(ctx.db, await getAccount(ctx.db, caller.userId), now)
    return {
      sessions: sessionsOf(credentials).map((session) =>
        toSession(session, { caller, now, lifetimeMs: ctx.config.tokenTtlMs }),
      ),
    }
  }
}
