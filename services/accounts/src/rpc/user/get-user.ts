import type { MethodImpl } from '@connectrpc/connect'
import type { UserService } from '@parley/contracts/api'
import { getTarget } from '../../actions/accounts/get-target.ts'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { toDirectoryMember } from '../../view/directory-member.ts'

export function getUser(ctx: Context): MethodImpl<typeof UserService.method.getUser> {
  return async ({ target }) => {
    const row = await getTarget(ctx, target)
    return { user: toDirectoryMember(row, await showUser(ctx, row), ctx.policy.current()) }
  }
}
