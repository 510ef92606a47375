import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { listAccounts } from '../../actions/accounts/list-accounts.ts'
import { showMembers } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { assertPermission } from '../../policy/administration.ts'
import { toRoles } from '../../view/role.ts'

const maxLimit = 100

export function listMembers(ctx: Context): MethodImpl<typeof AdminUserService.method.listMembers> {
  return async (request, call) => {
    const caller = callerOf(call)
    const policy = ctx.policy.current()
    assertPermission(policy, caller, 'admin.view-users')
    const { rows, page } = await listAccounts(ctx, caller.userId, request, { maxLimit, includeDeactivated: true })
    return { members: await showMembers(ctx, caller, rows), roles: toRoles(policy), page }
  }
}
