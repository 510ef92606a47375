import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { clearStatus } from '../../actions/accounts/clear-status.ts'
import type { Context } from '../../context.ts'
import { accountGone } from '../../errors.ts'

export function deleteCustomStatus(ctx: Context): MethodImpl<typeof MyAccountService.method.deleteCustomStatus> {
  return async (_, call) => {
    const { userId } = callerOf(call)
    if (!(await clearStatus(ctx, userId, { actorId: userId, at: ctx.now() }))) throw accountGone()
    return {}
  }
}
