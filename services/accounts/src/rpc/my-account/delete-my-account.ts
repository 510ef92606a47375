import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { deleteAccount } from '../../actions/deletion/delete-account.ts'
import { deletionTokenOfOtherAccount, unknownDeletionToken } from '../../errors.ts'
import { assertMayDeleteSelf } from '../../policy/self-deletion.ts'
import { peekFlowToken } from '../../store/flow-tokens.ts'

export function deleteMyAccount(ctx: Context): MethodImpl<typeof MyAccountService.method.deleteMyAccount> {
  return async ({ confirmationToken }, call) => {
    const caller = callerOf(call)
    assertMayDeleteSelf(ctx.policy.current(), caller)
    const tokens = tokenContext(ctx)
    await deleteAccount(ctx, caller.userId, caller.userId, async (tx) => {
      // Only looked up, not used up: the deletion of the account invalidates all its tokens.
      const token = await peekFlowToken(tx, tokens, 'account_deletion', confirmationToken)
      if (!token) throw unknownDeletionToken()
      if (token.userId !== caller.userId) throw deletionTokenOfOtherAccount()
    })
    return { deleted: true }
  }
}
