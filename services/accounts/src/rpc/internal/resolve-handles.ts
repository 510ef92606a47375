import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { couldBeLogin, loginKey } from '../../domain/login.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findHandles } from '../../store/handles.ts'

const maxHandles = 100

export function resolveHandles(ctx: Context): MethodImpl<typeof AccountsInternalService.method.resolveHandles> {
  return async (request) => {
    if (request.handles.length > maxHandles) throw tooManyAtOnce('handles', maxHandles)
    // Role names have the form of logins, so the filter keeps them.
    const keys = [...new Set(request.handles.filter(couldBeLogin).map(loginKey))]
    const found = await findHandles(ctx.db, keys)
    return {
      entries: found.map(({ key, kind, ownerId, roleIds }) => ({
        handle: key,
        owner:
          kind === 'role'
            ? { case: 'roleId' as const, value: ownerId }
            : { case: 'user' as const, value: { userId: ownerId, roleIds } },
      })),
    }
  }
}
