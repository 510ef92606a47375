import type { MethodImpl } from '@connectrpc/connect'
import type { AdminEventLogService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { readLog } from '../../actions/audit/read-log.ts'
import type { Context } from '../../context.ts'
import { entryFilter, hasCondition, toPageSize, maxScanned, parseSequence } from '../../domain/event-log-request.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { toAuditLogEntry } from '../../view/audit-entry.ts'

export function listEvents(ctx: Context): MethodImpl<typeof AdminEventLogService.method.listEvents> {
  return async (req, call) => {
    assertMay(ctx.policy.current(), callerOf(call), 'admin.view-audit')
    const filter = entryFilter(req.filter)
    const limit = toPageSize(req.limit)
    const scanLimit = hasCondition(filter) ? maxScanned : limit
    const before = req.before === undefined ? undefined : parseSequence(req.before)
    const { page, totalCount } = await readLog(ctx, { before, limit, scanLimit, filter })
    return { ...page, entries: page.entries.map(toAuditLogEntry), totalCount, scanLimit }
  }
}
