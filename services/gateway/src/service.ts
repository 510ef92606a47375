import type { Service } from '@parley/runtime'
import { startHost, type StartOptions } from '@parley/service'
import type { Config } from './config.ts'
import { openPublicPort } from './http/open-public-port.ts'
import { openContext } from './open-context.ts'

export function startGateway(config: Config, overrides: StartOptions = {}): Promise<Service> {
  return startHost({ name: 'gateway', config, waitsFor: ['control feed'], overrides }, async (host) => {
    const context = await openContext(host, config)
    const port = await openPublicPort(host, config, context)
    host.url = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port.port}`
    host.onDrain('public port', () => port.drain(config.drainTimeoutMs))
  })
}
