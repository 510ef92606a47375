import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { isOwner } from '@parley/permissions'
import { callerOf } from '@parley/rpc'
import { createAccount, isOwnerEmail } from '../../actions/accounts/create-account.ts'
import { getPolicyForRoleNames } from '../../actions/accounts/get-policy-for-role-names.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import type { Context } from '../../context.ts'
import { displayNameFrom } from '../../domain/display-name.ts'
import { assertNoDoubleDots } from '../../domain/login.ts'
import { getGrantableRoleIds } from '../../policy/grantable-roles.ts'

export function createUser(ctx: Context): MethodImpl<typeof AdminUserService.method.createUser> {
  return async ({ login, password, roleNames, ...request }, call) => {
    const caller = callerOf(call)
    const email = request.email.trim()
    const policy = await getPolicyForRoleNames(ctx, roleNames, caller)
    const roleIds = getGrantableRoleIds(policy, caller, { roleNames, asOwner: isOwnerEmail(ctx, email) })
    assertNoDoubleDots(login)
    const displayName = displayNameFrom(request.displayName)
    const account = await createAccount(
      ctx,
      {
        ...{ login, password, email, roleIds, actorId: caller.userId, emailOnlyDeclared: !isOwner(caller) },
        ...(displayName !== null && { displayName }),
      },
      { before: (tx) => assertCredentialValid(tx, caller) },
    )
    return { member: await showMember(ctx, caller, account.id) }
  }
}
