import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { setAvatar } from '../../actions/accounts/set-avatar.ts'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { accountGone } from '../../errors.ts'

export function deleteAvatar(ctx: Context): MethodImpl<typeof MyAccountService.method.deleteAvatar> {
  return async (_, call) => {
    const changed = await setAvatar(ctx, callerOf(call).userId, null)
    if (!changed) throw accountGone()
    return { user: await showUser(ctx, changed.after) }
  }
}
