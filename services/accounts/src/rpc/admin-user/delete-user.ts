import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { deleteAccount } from '../../actions/deletion/delete-account.ts'
import { userNotFound } from '../../errors.ts'
import { assertMayDelete, assertOwnerIfTargetIsOwner } from '../../policy/administration.ts'
import { findUsers } from '../../store/users.ts'

export function deleteUser(ctx: Context): MethodImpl<typeof AdminUserService.method.deleteUser> {
  return async ({ userId, currentPassword }, call) => {
    const caller = callerOf(call)
    const [user] = await findUsers(ctx.db, [userId])
    // Checked for unknown ids too, so that only callers who may delete accounts learn which ones exist.
    assertMayDelete(ctx.policy.current(), caller, user ?? { id: userId, roleIds: [] })
    if (!user || user.deletedAt) throw userNotFound()
    await assertFresh(ctx, caller, currentPassword)
    await deleteAccount(ctx, userId, caller.userId, async (tx, account) => {
      assertOwnerIfTargetIsOwner(caller, account)
      await assertCredentialValid(tx, caller)
    })
    return { deleted: true }
  }
}
