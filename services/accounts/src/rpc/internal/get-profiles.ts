import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { showEach } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findUsers } from '../../store/users.ts'
import { toProfile } from '../../view/user.ts'

const maxIds = 500

export function getProfiles(ctx: Context): MethodImpl<typeof AccountsInternalService.method.getProfiles> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw tooManyAtOnce('user ids', maxIds)
    const ids = [...new Set(userIds)]
    return { profiles: await showEach(ctx, inOrder(ids, await findUsers(ctx.db, ids)), toProfile) }
  }
}
