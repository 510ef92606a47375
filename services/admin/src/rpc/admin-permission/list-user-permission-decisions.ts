import type { MethodImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { findVisibleDecisions } from '../../actions/roles/visible-decisions.ts'
import { toScopedDecision } from '../../view/decision.ts'

export function listUserPermissionDecisions(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.listUserPermissionDecisions> {
  return async ({ userId }, call) => {
    const policy = await getCurrentPolicy(ctx)
    const caller = callerOf(call)
    assertMay(policy, caller, 'user.manage-permissions')
    // Throws if the user is unknown or deleted.
    await getProfile(ctx.accounts, userId)
    const { decisions } = await findVisibleDecisions(ctx, policy, { holder: { kind: 'user', id: userId }, caller })
    return { userId, decisions: decisions.map(toScopedDecision) }
  }
}
