import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { accountGone } from '../../errors.ts'
import { assertMayDeleteSelf } from '../../policy/self-deletion.ts'
import { issueFlowToken } from '../../store/flow-tokens.ts'
import { changeUser } from '../../store/user-changes.ts'

const tokenTtlMs = 15 * 60_000

export function requestAccountDeletion(
  ctx: Context,
): MethodImpl<typeof MyAccountService.method.requestAccountDeletion> {
  return async (_, call) => {
    const caller = callerOf(call)
    assertMayDeleteSelf(ctx.policy.current(), caller)
    const { userId } = caller
    const at = ctx.now()
    let confirmationToken = ''
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      const flow = { purpose: 'account_deletion', user, payload: {}, ttlMs: tokenTtlMs } as const
      confirmationToken = await issueFlowToken(tx, tokenContext(ctx, at), flow)
      return { announce: () => [auditEvent('account_deletion_confirmation_issued')] }
    })
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unrelayed)
    return { confirmationToken }
  }
}
