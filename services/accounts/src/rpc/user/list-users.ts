import type { MethodImpl } from '@connectrpc/connect'
import type { UserService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { listAccounts } from '../../actions/accounts/list-accounts.ts'
import { showEach } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { toDirectoryMember } from '../../view/directory-member.ts'

const maxLimit = 500

export function listUsers(ctx: Context): MethodImpl<typeof UserService.method.listUsers> {
  return async (request, call) => {
    const { rows, page } = await listAccounts(ctx, callerOf(call).userId, request, {
      maxLimit,
      includeDeactivated: false,
    })
    const policy = ctx.policy.current()
    return { users: await showEach(ctx, rows, (row, user) => toDirectoryMember(row, user, policy)), page }
  }
}
