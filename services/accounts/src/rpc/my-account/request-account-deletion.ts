import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assertMayDeleteSelf } from '../../policy/self-deletion.ts'
import { issueFlowToken } from '../../store/flow-tokens.ts'
import { getAccount } from '../../store/users.ts'

const ttlMs = 15 * 60_000

export function requestAccountDeletion(
  ctx: Context,
): MethodImpl<typeof MyAccountService.method.requestAccountDeletion> {
  return async (_, call) => {
    const caller = callerOf(call)
    assertMayDeleteSelf(ctx.policy.current(), caller)
    const { id: userId } = await getAccount(ctx.db, caller.userId)
    const asking = { secretKey: ctx.config.secretKey, at: ctx.now() }
    const flow = { purpose: 'account_deletion', userId, payload: {}, ttlMs } as const
    return { confirmationToken: await issueFlowToken(ctx.db, asking, flow) }
  }
}
