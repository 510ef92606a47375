import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { listUsersAfter } from '../../store/users.ts'
import { toPerson } from '../../view/user.ts'

const maxPage = 1_000

export function listPeople(ctx: Context): MethodImpl<typeof AccountsInternalService.method.listPeople> {
  return async ({ after, limit }) => {
    const page = limit === 0 ? maxPage : Math.min(limit, maxPage)
    return { people: (await listUsersAfter(ctx.db, after, page)).map(toPerson) }
  }
}
