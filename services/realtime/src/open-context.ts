import { AccountsInternalService, AdminInternalService, RoomsInternalService } from '@parley/contracts/internal'
import type { Host } from '@parley/service'
import { accountsClient } from './clients/accounts.ts'
import { roomsClient } from './clients/rooms.ts'
import type { Config } from './config.ts'
import { followStream, loadUniversalRooms, longestDelayMs, NodePolicy, subscribeToHints } from './engines/hub/index.ts'
import { verifyUntilAnswered } from './jobs/verify-sessions.ts'
import { createMetrics } from './metrics.ts'
import { openSocketServer } from './ws/open-socket-server.ts'

export async function openContext(host: Host, config: Config) {
  const { signal } = host
  const metrics = createMetrics()
  const admin = host.client(AdminInternalService)
  const accounts = accountsClient(host.client(AccountsInternalService))
  const rooms = roomsClient(host.client(RoomsInternalService))
  const policy = new NodePolicy(() => admin.getPolicy({}), signal)
  const server = await openSocketServer(host, config, {
    ...{ accounts, rooms, policy, metrics },
    verify: (sockets) => host.background(verifyUntilAnswered(sockets, accounts, signal)),
  })
  const { hub, opener } = server.context
  policy.onChange((change) => hub.recomputeAccess(change))
  host.use(metrics.observeSockets(() => hub.connections.size))
  const load = async () => void (await Promise.all([policy.reload(), loadUniversalRooms(hub, rooms, signal)]))
  const historyMs = config.replayWindowMs + longestDelayMs
  const intake = await followStream(host, { hub, opener, policy, metrics, load, historyMs })
  subscribeToHints(host, server, { hub, intake, metrics })
  return { accounts, server, load }
}
