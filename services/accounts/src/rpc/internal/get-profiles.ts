import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findUsers } from '../../store/users.ts'
import { toProfile } from '../../view/user.ts'

export function getProfiles(ctx: Context): MethodImpl<typeof AccountsInternalService.method.getProfiles> {
  return async ({ userIds }) => {
    const ids = [...new Set(userIds)]
    const users = new Map((await findUsers(ctx.db, ids)).map((user) => [user.id, user]))
    return { profiles: ids.flatMap((id) => users.get(id) ?? []).map(toProfile) }
  }
}
