import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { isOwner } from '@parley/permissions'
import { callerOf } from '@parley/rpc'
import { createAccount, isOwnerEmail } from '../../actions/accounts/create-account.ts'
import { policyNaming } from '../../actions/accounts/policy-naming.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import { assertStillHolds } from '../../actions/credentials/still-holds.ts'
import type { Context } from '../../context.ts'
import { displayNameFrom } from '../../domain/display-name.ts'
import { assertRegisteredLogin } from '../../domain/login.ts'
import { grantable } from '../../policy/grantable.ts'

export function createUser(ctx: Context): MethodImpl<typeof AdminUserService.method.createUser> {
  return async ({ login, password, roleNames, ...request }, call) => {
    const caller = callerOf(call)
    const email = request.email.trim()
    const policy = await policyNaming(ctx, roleNames, caller)
    const roleIds = grantable(policy, caller, { roleNames, asOwner: isOwnerEmail(ctx, email) })
    assertRegisteredLogin(login)
    const displayName = displayNameFrom(request.displayName)
    const account = await createAccount(
      ctx,
      {
        ...{ login, password, email, roleIds, actorId: caller.userId, unproven: !isOwner(caller) },
        ...(displayName !== null && { displayName }),
      },
      { before: (tx) => assertStillHolds(tx, caller) },
    )
    return { member: await showMember(ctx, caller, account.id) }
  }
}
