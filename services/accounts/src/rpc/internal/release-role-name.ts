import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { releaseHandles } from '../../store/handles.ts'

export function releaseRoleName(ctx: Context): MethodImpl<typeof AccountsInternalService.method.releaseRoleName> {
  return async ({ roleId }) => {
    await releaseHandles(ctx.db, 'role', roleId)
    return {}
  }
}
