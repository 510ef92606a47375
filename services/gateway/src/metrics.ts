import type { DescMethod } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { counter, histogram, logger } from '@parley/telemetry'

const requests = counter('parley_gateway_requests', { description: 'Public calls, by method and code.' })
const forgottenProxies = counter('parley_gateway_forgotten_proxies', {
  description: 'Requests with X-Forwarded-For from a private address that is no trusted proxy.',
})
const seconds = histogram('parley_gateway_request_seconds', { description: 'Time of public calls.', unit: 's' })
const log = logger('gateway')

/** Everything this service counts or logs. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  let warned = false
  return {
    forgottenProxy: (address: string) => {
      forgottenProxies(1)
      if (warned) return
      warned = true
      const hint = 'name its network in webserver.trusted_proxies; until then limits count everybody behind it as one'
      log.warn({ address, hint }, 'requests come through a proxy that is not trusted')
    },
    answered: (method: DescMethod, code: Code | undefined, started: number) => {
      const name = `${method.parent.typeName}/${method.name}`
      requests(1, { method: name, code: code === undefined ? 'ok' : Code[code] })
      seconds((performance.now() - started) / 1000, { method: name })
    },
    failed: (error: unknown) => log.error({ err: error }, 'a request failed unexpectedly'),
    noWebClient: (folder: string) =>
      log.warn({ folder }, 'there is no built web client in this folder: / returns a line of text'),
    feedLost: () => log.warn('the control feed was interrupted; credentials are checked again'),
  }
}
