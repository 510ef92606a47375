import type { MethodImpl } from '@connectrpc/connect'
import type { AdminEventLogService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { knownEventTypes } from '../../domain/audit/known-types.ts'
import type { Context } from '../../context.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { listStoredTypes } from '../../store/audit-entries.ts'

export function listEventTypes(ctx: Context): MethodImpl<typeof AdminEventLogService.method.listEventTypes> {
  return async (_req, call) => {
    assertMay(ctx.policy.current(), callerOf(call), 'admin.view-audit')
    return { eventTypes: [...new Set([...knownEventTypes, ...(await listStoredTypes(ctx.db))])].sort() }
  }
}
