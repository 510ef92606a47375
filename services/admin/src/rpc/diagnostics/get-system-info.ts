import type { MethodImpl } from '@connectrpc/connect'
import type { AdminDiagnosticsService } from '@parley/contracts/admin'
import { readRecoveries } from '@parley/events'
import { callerOf } from '@parley/rpc'
import { countUsersAndRooms } from '../../clients/counts.ts'
import { readBusState } from '../../clients/jetstream.ts'
import type { Context } from '../../context.ts'
import { assertOwner } from '../../policy/server-permission.ts'
import { getLogSize } from '../../store/log-size.ts'
import { toAccount, toConnection, toNatsStats, toStreamLosses } from '../../view/bus-state.ts'
import { toProjections } from '../../view/projections.ts'

export function getSystemInfo(ctx: Context): MethodImpl<typeof AdminDiagnosticsService.method.getSystemInfo> {
  return async (_req, call) => {
    assertOwner(callerOf(call))
    const [bus, stats, log, recoveries] = await Promise.all([
      readBusState(ctx.bus),
      countUsersAndRooms(ctx),
      getLogSize(ctx.db),
      readRecoveries(ctx.db),
    ])
    return {
      systemInfo: {
        connection: toConnection(bus),
        ...(bus.account && { account: toAccount(bus.account) }),
        nats: toNatsStats(bus, ctx.config.streamReplicas),
        ...(stats && { stats }),
        streamLosses: toStreamLosses(recoveries),
      },
      projections: toProjections(bus, log),
    }
  }
}
