import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as store from '../../store/users.ts'

export function countUsers(ctx: Context): MethodImpl<typeof AccountsInternalService.method.countUsers> {
  return async () => ({ count: await store.countUsers(ctx.db) })
}
