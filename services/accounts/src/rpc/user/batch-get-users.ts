import type { MethodImpl } from '@connectrpc/connect'
import type { UserService } from '@parley/contracts/api'
import { findByIdOrLogin } from '../../actions/accounts/find-by-id-or-login.ts'
import { showEach } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { toDirectoryMember } from '../../view/directory-member.ts'

export function batchGetUsers(ctx: Context): MethodImpl<typeof UserService.method.batchGetUsers> {
  return async ({ userIds, logins }) => {
    const rows = await findByIdOrLogin(ctx, { userIds, logins })
    const policy = ctx.policy.current()
    return { users: await showEach(ctx, rows, (row, user) => toDirectoryMember(row, user, policy)) }
  }
}
