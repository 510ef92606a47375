import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { listColumns } from '../../actions/roles/columns.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { toMatrix } from '../../view/matrix.ts'

export function getUserPermissionMatrix(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.getUserPermissionMatrix> {
  return async ({ userId }, call) => {
    const policy = await getCurrentPolicy(ctx)
    const caller = callerOf(call)
    assertMay(policy, caller, 'user.manage-permissions')
    // Throws if the user is unknown or deleted.
    await getProfile(ctx.accounts, userId)
    const holder = { kind: 'user', id: userId } as const
    return { matrix: { userId, ...toMatrix(policy, holder, await listColumns(ctx, policy, { holder, caller })) } }
  }
}
