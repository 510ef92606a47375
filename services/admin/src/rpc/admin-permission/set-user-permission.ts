import type { MethodImpl } from '@connectrpc/connect'
import type { Policy } from '@parley/permissions'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { scopeFrom } from '../../domain/decision-scope.ts'
import { assertDecidable } from '../../policy/decidable.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { decide } from '../../actions/roles/decide.ts'
import { findPlace } from '../../actions/roles/find-place.ts'
import { policyNow } from '../../actions/roles/policy-now.ts'

export function setUserPermission(ctx: Context): MethodImpl<typeof AdminPermissionService.method.setUserPermission> {
  return async ({ userId, permission, decision, scope: wanted }, call) => {
    const caller = callerOf(call)
    const scope = scopeFrom(wanted)
    const find = (policy: Policy) => {
      assertMay(policy, caller, 'user.manage-permissions')
      return { kind: 'user', id: userId } as const
    }
    find(await policyNow(ctx))
    assertDecidable(permission, scope.kind)
    const [place] = await Promise.all([findPlace(ctx, caller, scope), getProfile(ctx.accounts, userId)])
    return { decision: await decide(ctx, caller.userId, find, { permission, scope, place, decision }) }
  }
}
