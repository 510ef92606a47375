import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { scopeFrom } from '../../domain/decision-scope.ts'
import { assertDecidable } from '../../policy/decidable.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { setDecision } from '../../actions/roles/set-decision.ts'
import { resolveScope } from '../../actions/roles/resolve-scope.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'

export function setUserPermission(ctx: Context): MethodImpl<typeof AdminPermissionService.method.setUserPermission> {
  return async ({ userId, permission, decision, scope: wanted }, call) => {
    const caller = callerOf(call)
    const scope = scopeFrom(wanted)
    const findHolder = (policy: Policy) => {
      assertMay(policy, caller, 'user.manage-permissions')
      return { kind: 'user', id: userId } as const
    }
    findHolder(await getCurrentPolicy(ctx))
    assertDecidable(permission, scope.kind)
    // `getProfile` throws if the user is unknown or deleted.
    const [resolved] = await Promise.all([resolveScope(ctx, caller, scope), getProfile(ctx.accounts, userId)])
    return { decision: await setDecision(ctx, caller.userId, findHolder, { permission, scope, resolved, decision }) }
  }
}
