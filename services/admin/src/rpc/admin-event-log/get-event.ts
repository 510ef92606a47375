import type { MethodImpl } from '@connectrpc/connect'
import type { AdminEventLogService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { parseSequence } from '../../domain/event-log-request.ts'
import { entryNotFound } from '../../errors.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { findEntry } from '../../store/audit-entries.ts'
import { toAuditLogEntry } from '../../view/audit-entry.ts'

export function getEvent(ctx: Context): MethodImpl<typeof AdminEventLogService.method.getEvent> {
  return async (req, call) => {
    assertMay(ctx.policy.current(), callerOf(call), 'admin.view-audit')
    const row = await findEntry(ctx.db, parseSequence(req.sequence))
    if (!row) throw entryNotFound()
    return { entry: toAuditLogEntry(row) }
  }
}
