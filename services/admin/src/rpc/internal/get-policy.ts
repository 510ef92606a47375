import type { MethodImpl } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as store from '../../store/policy.ts'
import { toPolicy } from '../../view/policy.ts'

export function getPolicy(ctx: Context): MethodImpl<typeof AdminInternalService.method.getPolicy> {
  return async () => toPolicy(await store.getPolicy(ctx.db))
}
