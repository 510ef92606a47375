import { AccountsInternalService, AdminInternalService, RoomsInternalService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { startHost, type Host, type Starting } from '@parley/service'
import { accountsClient } from './clients/accounts.ts'
import { roomsClient } from './clients/rooms.ts'
import type { Config } from './config.ts'
import { followStream, subscribeToHints, loadUniversalRooms, longestDelayMs, NodePolicy } from './engines/hub/index.ts'
import { drainSockets } from './jobs/drain-sockets.ts'
import { startJobs } from './jobs/index.ts'
import { verifyUntilAnswered } from './jobs/verify-sessions.ts'
import { createMetrics } from './metrics.ts'
import { openSockets } from './ws/open-sockets.ts'

/** Starts the deployable. Before it stops, it closes its sockets in groups spread over the drain window. */
export function startRealtime(config: Config, overrides: Starting = {}): Promise<Service> {
  const waitsFor = ['policy and universal rooms']
  const drainTimeoutMs = Math.max(config.drainTimeoutMs, config.drainWindowMs)
  return startHost({ name: 'realtime', config, waitsFor, drainTimeoutMs, overrides }, (host) => compose(host, config))
}

async function compose(host: Host, config: Config): Promise<void> {
  const { signal } = host
  const metrics = createMetrics()
  const admin = host.client(AdminInternalService)
  const accounts = accountsClient(host.client(AccountsInternalService))
  const rooms = roomsClient(host.client(RoomsInternalService))
  const policy = new NodePolicy(() => admin.getPolicy({}), signal)
  const server = await openSockets(host, config, {
    ...{ accounts, rooms, policy, metrics },
    verify: (sockets) => host.background(verifyUntilAnswered(sockets, accounts, signal)),
  })
  const { hub, opening } = server.context
  policy.onChange(() => hub.policyChanged())
  host.use(metrics.observeSockets(() => hub.connections.size))
  const load = async () => void (await Promise.all([policy.reload(), loadUniversalRooms(hub, rooms, signal)]))
  const intake = await followStream(host, {
    hub,
    opening,
    policy,
    metrics,
    load,
    historyMs: config.replayWindowMs + longestDelayMs,
  })
  subscribeToHints(host, server, { hub, intake, metrics })
  host.background(
    load().then(() => {
      server.startAccepting()
      host.ready('policy and universal rooms')
    }),
  )
  startJobs(host, server, config, accounts)
  host.url = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${server.port}`
  host.onDrain('sockets', async () => {
    server.stopAccepting()
    await drainSockets(hub.connections, config.drainWindowMs)
  })
}
