import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { handleTaken } from '../../errors.ts'
import { claimHandle } from '../../store/handles.ts'

export function reserveRoleName(ctx: Context): MethodImpl<typeof AccountsInternalService.method.reserveRoleName> {
  return async ({ name, roleId }) => {
    // Role names are in lower case, so a name is its own key.
    if (!(await claimHandle(ctx.db, { key: name, kind: 'role', ownerId: roleId }))) throw handleTaken(name)
    return {}
  }
}
