import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { recordErasureReport } from '../../actions/deletion/record-erasure-report.ts'

export function reportErased(ctx: Context): MethodImpl<typeof AccountsInternalService.method.reportErased> {
  return async ({ userId, service, pass, found }) => {
    await recordErasureReport(ctx, { userId, service, pass, found })
    return {}
  }
}
