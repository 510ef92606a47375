import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { removeAddress } from '../../actions/accounts/remove-address.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { assertMayManage, assertOwnerIfTargetIsOwner } from '../../policy/administration.ts'

export function removeUserEmailAddress(
  ctx: Context,
): MethodImpl<typeof AdminUserService.method.removeUserEmailAddress> {
  return async ({ userId, address, currentPassword }, call) => {
    const caller = callerOf(call)
    assertMayManage(ctx.policy.current(), caller, userId)
    await assertFresh(ctx, caller, currentPassword)
    await removeAddress(ctx, userId, address, {
      actorId: caller.userId,
      async assertAllowed(tx, user) {
        assertOwnerIfTargetIsOwner(caller, user)
        await assertCredentialValid(tx, caller)
      },
    })
    return { member: await showMember(ctx, caller, userId) }
  }
}
