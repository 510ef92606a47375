import type { DescMethod } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { counter, histogram, logger } from '@parley/telemetry'

const requests = counter('parley_gateway_requests', { description: 'Public calls, by method and code.' })
const seconds = histogram('parley_gateway_request_seconds', { description: 'Time of public calls.', unit: 's' })
const log = logger('gateway')

/** Everything this service counts or logs. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  return {
    answered: (method: DescMethod, code: Code | undefined, started: number) => {
      const name = `${method.parent.typeName}/${method.name}`
      requests(1, { method: name, code: code === undefined ? 'ok' : Code[code] })
      seconds((performance.now() - started) / 1000, { method: name })
    },
    failed: (error: unknown) => log.error({ err: error }, 'a request failed unexpectedly'),
    noWebClient: (folder: string) => log.warn({ folder }, 'no web client is built there: / answers a line of text'),
    feedLost: () => log.warn('the control feed lost its thread; credentials are checked anew'),
  }
}
