import type { MethodImpl } from '@connectrpc/connect'
import type { AdminEventLogService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { toLogPage } from '../../domain/event-log-page.ts'
import { entryFilter, isFilter, limitOf, maxScanned, parseSequence } from '../../domain/event-log-request.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { countEntries, scanEntries } from '../../store/audit-entries.ts'
import { toAuditLogEntry } from '../../view/audit-entry.ts'

export function listEvents(ctx: Context): MethodImpl<typeof AdminEventLogService.method.listEvents> {
  return async (req, call) => {
    assertMay(ctx.policy.current(), callerOf(call), 'admin.view-audit')
    const filter = entryFilter(req.filter)
    const limit = limitOf(req.limit)
    const scan = isFilter(filter) ? maxScanned : limit
    const before = req.before === undefined ? undefined : parseSequence(req.before)
    const page = toLogPage(await scanEntries(ctx.db, { before, limit, scan, filter }), limit, scan)
    return {
      ...page,
      entries: page.entries.map(toAuditLogEntry),
      totalCount: await countEntries(ctx.db),
      scanLimit: scan,
    }
  }
}
