import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findUsers } from '../../store/users.ts'
import { toPerson } from '../../view/user.ts'

const maxIds = 500

export function getPeople(ctx: Context): MethodImpl<typeof AccountsInternalService.method.getPeople> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw tooManyAtOnce('user ids', maxIds)
    return { people: (await findUsers(ctx.db, userIds)).map(toPerson) }
  }
}
