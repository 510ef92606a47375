import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { showUsers } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { findHolders } from '../../store/roles.ts'

const maxPerCall = 1_000

export function listRoleHolders(ctx: Context): MethodImpl<typeof AccountsInternalService.method.listRoleHolders> {
  return async ({ roleId }) => ({ users: await showUsers(ctx, await findHolders(ctx.db, roleId, maxPerCall)) })
}
