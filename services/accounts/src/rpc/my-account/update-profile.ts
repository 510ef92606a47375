import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { changeNames } from '../../actions/accounts/change-names.ts'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'

export function updateProfile(ctx: Context): MethodImpl<typeof MyAccountService.method.updateProfile> {
  return async (names, call) => {
    const { userId } = callerOf(call)
    return { user: await showUser(ctx, await changeNames(ctx, userId, names, userId)) }
  }
}
