import type { Service } from '@parley/runtime'
import { startHost, type Host, type StartOptions } from '@parley/service'
import type { Config } from './config.ts'
import { drainSockets } from './jobs/drain-sockets.ts'
import { startJobs } from './jobs/index.ts'
import { openContext } from './open-context.ts'

const initialState = 'policy and universal rooms'

/** Before the service stops, it closes its sockets in groups spread over the drain window. */
export function startRealtime(config: Config, overrides: StartOptions = {}): Promise<Service> {
  const drainTimeoutMs = Math.max(config.drainTimeoutMs, config.drainWindowMs)
  const options = { name: 'realtime', config, waitsFor: [initialState], drainTimeoutMs, overrides } as const
  return startHost(options, (host) => compose(host, config))
}

async function compose(host: Host, config: Config): Promise<void> {
  const { server, accounts, load } = await openContext(host, config)
  const accept = () => {
    server.startAccepting()
    host.ready(initialState)
  }
  host.background(load().then(accept))
  startJobs(host, server, config, accounts)
  host.url = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${server.port}`
  host.onDrain('sockets', async () => {
    server.stopAccepting()
    await drainSockets(server.context.hub.connections, config.drainWindowMs)
  })
}
