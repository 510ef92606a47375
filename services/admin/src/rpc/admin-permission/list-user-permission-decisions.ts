import type { MethodImpl } from '@connectrpc/connect'
import { storedDecisions } from '@parley/auth'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { policyNow } from '../../roles/policy-now.ts'
import { toScopedDecision } from '../../view/decision.ts'

export function listUserPermissionDecisions(
  ctx: Context,
): MethodImpl<typeof AdminPermissionService.method.listUserPermissionDecisions> {
  return async ({ userId }, call) => {
    const policy = await policyNow(ctx)
    assertMay(policy, callerOf(call), 'user.manage-permissions')
    await getProfile(ctx.accounts, userId)
    return { userId, decisions: storedDecisions(policy, { kind: 'user', id: userId }).map(toScopedDecision) }
  }
}
