import type { MethodImpl } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyLogins } from '../../errors.ts'
import { filterBlocked } from '../../store/blocked-usernames.ts'

const maxLogins = 5_000

export function checkLogins(ctx: Context): MethodImpl<typeof AdminInternalService.method.checkLogins> {
  return async ({ logins }) => {
    if (logins.length > maxLogins) throw tooManyLogins(maxLogins)
    const blocked = await filterBlocked(ctx.db, logins)
    return { blocked: logins.filter((login) => blocked.has(login.toLowerCase())) }
  }
}
