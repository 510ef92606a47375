import { isForwardedByGateway } from '@parley/credentials'
import { openCredentialAttempts } from '@parley/redis'
import { clientAddressBehind } from '@parley/runtime'
import type { Host } from '@parley/service'
import { serverVersion } from '@parley/telemetry'
import type { Accounts } from '../clients/accounts.ts'
import type { Rooms } from '../clients/rooms.ts'
import type { Config } from '../config.ts'
import { Hub, type NodePolicy, SocketOpener, ReplayBuffer, type Subscriber } from '../engines/hub/index.ts'
import type { Metrics } from '../metrics.ts'
import { digestsToTry, readPresentedCredentials } from './credentials.ts'
import { Admission } from './admission.ts'
import { helloFrame } from './server-frames.ts'
import { serveSockets, type SocketServer } from './server.ts'

type Options = {
  accounts: Accounts
  rooms: Rooms
  policy: NodePolicy
  metrics: Metrics
  verify: (sockets: readonly Subscriber[]) => void
}

export async function openSocketServer(host: Host, config: Config, options: Options): Promise<SocketServer> {
  const { accounts, rooms, policy, metrics, verify } = options
  const clientAddress = clientAddressBehind(config.trustedProxies, {
    isForwarded: (header) => isForwardedByGateway(config, header),
  })
  // Separate, so that a flood of other credentials does not displace known ones.
  const newAdmission = () => new Admission(config.hellosPerSecond, performance.now())
  const [known, others] = [newAdmission(), newAdmission()]
  const credentialAttempts = host.use(openCredentialAttempts({ perMinute: config.unauthenticatedPerMinute }))
  const server = await serveSockets(
    {
      host: config.host,
      port: config.port,
      maxBackpressureBytes: config.maxBackpressureBytes,
      readCredentials: (upgrade) => readPresentedCredentials(upgrade, { ...config, clientAddress }),
    },
    (publish) => {
      const replayBuffer = new ReplayBuffer({
        windowMs: config.replayWindowMs,
        maxBytes: config.replayBytes,
        maxReplayBytes: config.maxBackpressureBytes / 2,
      })
      const hub = new Hub({ publish, policy: () => policy.current(), verify, metrics, replayBuffer })
      return {
        ...{ hub, metrics, credentialAttempts },
        hello: helloFrame(serverVersion, Math.round(config.heartbeatIntervalMs / 1000)),
        opener: host.use(new SocketOpener({ hub, accounts, rooms, metrics })),
        overloadDelayMs: (isKnown) => (isKnown ? known : others).admitOrDelay(performance.now()),
        handshakeTimeoutMs: config.handshakeTimeoutMs,
        socketsPerPerson: config.socketsPerPerson,
        digestsToTry: (bearerToken, presented) => digestsToTry(config, bearerToken, presented),
        retryAfterMs: () => Math.round(1_000 + Math.random() * 4_000),
      }
    },
  )
  host.defer('socket server', () => server.close())
  host.use(server.context.hub)
  return server
}
