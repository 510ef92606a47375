import type { MethodImpl } from '@connectrpc/connect'
import type { UserService } from '@parley/contracts/api'
import { showEach } from '../../accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { findPresentUsers } from '../../store/users.ts'
import { toDirectoryMember } from '../../view/directory-member.ts'

export function batchGetUsers(ctx: Context): MethodImpl<typeof UserService.method.batchGetUsers> {
  return async ({ userIds }) => {
    const rows = inOrder(userIds, await findPresentUsers(ctx.db, userIds))
    const policy = ctx.policy.current()
    return { users: await showEach(ctx, rows, (row, user) => toDirectoryMember(row, user, policy)) }
  }
}
