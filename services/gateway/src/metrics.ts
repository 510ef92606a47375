import type { DescMethod } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { codeToHttpStatus, codeToString } from '@connectrpc/connect/protocol-connect'
import { countServedRequest } from '@parley/runtime/metrics'
import { counter, logger } from '@parley/telemetry'

const untrustedProxies = counter('parley.gateway.untrusted_proxy_requests', {
  description: 'Requests with X-Forwarded-For from a private address that is not a trusted proxy',
  unit: '{request}',
})
const log = logger('gateway')

type Outcome = { code?: Code | undefined; missedClientDeadline?: boolean }

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  let warned = false
  return {
    reportUntrustedProxy: (address: string) => {
      untrustedProxies(1)
      if (warned) return
      warned = true
      const hint = 'add its network to webserver.trusted_proxies; until then everybody behind it shares one limit'
      log.warn({ address, hint }, 'requests come through a proxy that is not trusted')
    },
    /**
     * `began`: the time of `performance.now()` at the start. gRPC answers all calls with 200. A call that exceeded its
     * client's deadline counts as canceled.
     */
    countCall: (method: DescMethod, { code, missedClientDeadline = false }: Outcome, began: number, isGrpc = false) =>
      countServedRequest({
        ...{ method: 'POST', route: `/${method.parent.typeName}/${method.name}` },
        durationMs: performance.now() - began,
        status: code === undefined || isGrpc ? 200 : codeToHttpStatus(code),
        error: code === undefined ? undefined : codeToString(missedClientDeadline ? Code.Canceled : code),
      }),
    reportFailure: (error: unknown) => log.error({ err: error }, 'a request failed unexpectedly'),
    reportMissingWebClient: (folder: string) =>
      log.warn({ folder }, 'there is no built web client in this folder: / answers with a line of text'),
    reportLostFeed: () => log.warn('the control feed was interrupted; cached credentials are dropped'),
  }
}
