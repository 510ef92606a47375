import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { methodPath } from '@parley/contracts/catalogue'
import { isRecording, isTraced, withSpan } from '@parley/telemetry'

export type CallSpan = {
  readonly kind: 'client' | 'server'
  /** `nats` over the bus; the protocol of a public call. */
  readonly system: 'nats' | 'connectrpc' | 'grpc'
  /** A W3C traceparent that came with the call. Default: the current span. */
  readonly parent?: string | undefined
  /** From 1. */
  readonly attempt?: number
}

const serverFailures: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
])

/**
 * Runs a call inside its span, named and described by OpenTelemetry's conventions for RPC. The span gets the code of a
 * failure, and is marked as failed if the server is to blame. Only public calls begin traces: a call over the bus that
 * belongs to none has no span.
 */
export function callSpan<T>(
  method: DescMethod,
  { kind, system, parent, attempt = 1 }: CallSpan,
  call: () => Promise<T>,
): Promise<T> {
  if (!isRecording()) return call()
  if (system === 'nats' && (parent === undefined ? !isTraced() : parent === '')) return call()
  const name = methodPath(method).slice(1)
  const attributes = {
    'rpc.system.name': system,
    'rpc.method': name,
    ...(attempt > 1 && { 'parley.rpc.attempt': attempt }),
  }
  return withSpan(name, { kind, attributes, parent, failure }, async (span) => {
    try {
      return await call()
    } catch (error) {
      span.setAttribute('rpc.response.status_code', codeToString(ConnectError.from(error).code))
      throw error
    }
  })
}

function failure(error: unknown): string | undefined {
  const { code } = ConnectError.from(error)
  return serverFailures.has(code) ? codeToString(code) : undefined
}
