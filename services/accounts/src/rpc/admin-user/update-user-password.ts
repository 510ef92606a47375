import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { replacePassword } from '../../actions/accounts/replace-password.ts'
import { showMember } from '../../actions/accounts/show-members.ts'
import type { Context } from '../../context.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertMayManage, assertOwnerIfTargetIsOwner } from '../../policy/administration.ts'

export function updateUserPassword(ctx: Context): MethodImpl<typeof AdminUserService.method.updateUserPassword> {
  return async ({ userId, password, currentPassword }, call) => {
    const caller = callerOf(call)
    assertMayManage(ctx.policy.current(), caller, userId)
    await assertFresh(ctx, caller, currentPassword)
    await replacePassword(ctx, userId, password, caller.userId, async (tx, user) => {
      assertOwnerIfTargetIsOwner(caller, user)
      await assertCredentialValid(tx, caller)
    })
    return { member: await showMember(ctx, caller, userId) }
  }
}
