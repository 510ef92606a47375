import { newId } from '@parley/ids'
import type { Host } from '@parley/service'
import type { Accounts } from '../clients/accounts.ts'
import type { Config } from '../config.ts'
import { topics } from '../engines/hub/index.ts'
import { heartbeatFrame } from '../ws/server-frames.ts'
import type { SocketServer } from '../ws/server.ts'
import { createSocketSweep } from './sweep-sockets.ts'
import { verifySessions } from './verify-sessions.ts'

export function startJobs(host: Host, server: SocketServer, config: Config, accounts: Accounts): void {
  const { hub } = server.context
  const sweep = createSocketSweep({
    handshaking: server.handshaking,
    connections: hub.connections,
    slowBytes: config.maxBackpressureBytes / 2,
    maxAgeMs: config.maxSocketAgeMs,
  })
  host.every({
    ...{ name: 'sweep sockets', everyMs: 5_000 },
    run: () => {
      sweep(performance.now())
      hub.hintTopics.updateSubscriptions(hub.access.users.values())
      if (server.handshaking.size + hub.connections.size > 0) return 1_000
    },
  })
  host.every({
    ...{ name: 'heartbeat', everyMs: config.heartbeatIntervalMs },
    run: async () => server.publish(topics.everyone, heartbeatFrame(newId('event'), new Date(), hub.position)),
  })
  host.every({
    ...{ name: 'verify sessions', everyMs: config.verifyIntervalMs },
    run: () => verifySessions(hub.connections, accounts),
  })
}
