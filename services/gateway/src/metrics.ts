import type { DescMethod } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { codeToHttpStatus, codeToString } from '@connectrpc/connect/protocol-connect'
import { countRequest } from '@parley/runtime/metrics'
import { counter, logger } from '@parley/telemetry'

const untrustedProxies = counter('parley.gateway.untrusted_proxy_requests', {
  description: 'Requests with X-Forwarded-For from a private address that is not a trusted proxy',
  unit: '{request}',
})
const log = logger('gateway')

/** How a call ended: the code of its failure, and whether the time limit was the caller's own. */
type Outcome = { code?: Code | undefined; gaveUp?: boolean }

/** Everything this service counts or logs. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  let warned = false
  return {
    forgottenProxy: (address: string) => {
      untrustedProxies(1)
      if (warned) return
      warned = true
      const hint = 'name its network in webserver.trusted_proxies; until then limits count everybody behind it as one'
      log.warn({ address, hint }, 'requests come through a proxy that is not trusted')
    },
    /**
     * Counts a public call. gRPC answers all calls with 200. A call that failed at its caller's deadline counts as
     * canceled.
     */
    answered: (method: DescMethod, { code, gaveUp = false }: Outcome, began: number, isGrpc = false) =>
      countRequest({
        ...{ method: 'POST', route: `/${method.parent.typeName}/${method.name}` },
        durationMs: performance.now() - began,
        status: code === undefined || isGrpc ? 200 : codeToHttpStatus(code),
        error: code === undefined ? undefined : codeToString(gaveUp ? Code.Canceled : code),
      }),
    failed: (error: unknown) => log.error({ err: error }, 'a request failed unexpectedly'),
    noWebClient: (folder: string) =>
      log.warn({ folder }, 'there is no built web client in this folder: / returns a line of text'),
    feedLost: () => log.warn('the control feed was interrupted; credentials are checked again'),
  }
}
