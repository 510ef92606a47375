import type { MethodImpl } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { isBlocked } from '../../store/blocked-usernames.ts'

export function checkLogin(ctx: Context): MethodImpl<typeof AdminInternalService.method.checkLogin> {
  return async (req) => ({ blocked: await isBlocked(ctx.db, req.login) })
}
