import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { listUsersAfter } from '../../store/users.ts'
import { toPerson } from '../../view/user.ts'

const maxPageSize = 1_000

export function listPeople(ctx: Context): MethodImpl<typeof AccountsInternalService.method.listPeople> {
  return async ({ after, limit }) => {
    const pageSize = limit === 0 ? maxPageSize : Math.min(limit, maxPageSize)
    return { people: (await listUsersAfter(ctx.db, after, pageSize)).map(toPerson) }
  }
}
