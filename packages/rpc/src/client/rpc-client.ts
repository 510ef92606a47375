import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { Interceptor, Transport } from '@connectrpc/connect'
import { currentTraceparent, isRecording } from '@parley/telemetry'
import type { Bus } from '../bus.ts'
import type { InProcessRegistry } from '../in-process.ts'
import { callSpan } from '../spans.ts'
import type { Reply } from './pending-call.ts'
import { PendingCalls } from './pending-calls.ts'
import { createBusTransport, type TransportOptions } from './transport.ts'

/** Metadata of a call whose body is forwarded unchanged. */
export type CallMeta = {
  /** An encoded caller, see `encodeCaller` of `@parley/credentials`. */
  readonly caller?: string | undefined
  /** Makes it safe to resend a call of a method that takes an idempotency key. */
  readonly idempotencyKey?: string | undefined
  /** Id of bytes that the gateway moved from the request to uploads. */
  readonly blob?: string | undefined
  /** W3C traceparent of the caller, used if there is no current span. */
  readonly traceparent?: string | undefined
  /** Time limit over all attempts. */
  readonly timeoutMs: number
  /** Ends the wait: with its reason if that is a ConnectError, otherwise with `canceled`. */
  readonly signal?: AbortSignal | undefined
}

export type RpcClientOptions = {
  readonly name: string
  /** Deployables in the same process, which are called without the bus. */
  readonly inProcess?: InProcessRegistry | undefined
  /** Timeout of calls that set none. Default: 5000. */
  readonly defaultTimeoutMs?: number
  /** Around every call through a transport, the first one outermost. */
  readonly interceptors?: readonly Interceptor[]
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
}

/** Disposing rejects pending calls. */
export type RpcClient = AsyncDisposable & {
  /** Rejects with a ConnectError. */
  call(method: DescMethodUnary, body: Uint8Array, meta: CallMeta): Promise<Reply>
  /** A transport for Connect's `createClient`. */
  transport(options?: TransportOptions): Transport
}

/**
 * Creates the client for calls of a process. Its calls reject with the server's error, unchanged (code, message,
 * details, metadata), or with:
 * - `unavailable`: no server answers the method or can start the call, the bus is down, the reply or a part of it did not
 *   arrive, too many large replies arrive, or this process is closing; metadata `parley-reason` tells which
 * - `deadline_exceeded`: the deadline passed before the call was sent or while a server worked on it; also if it passed
 *   before a missing reply could show that no server is there
 * - `canceled`: the signal was aborted, and its reason is not a ConnectError, which would be thrown instead
 * - `internal`: the reply cannot be read
 * - `permission_denied`: the manifest does not allow this deployable to call the method (only for in-process calls)
 * - `resource_exhausted`: the request is larger than 1 MiB
 */
export function createRpcClient(bus: Bus, options: RpcClientOptions): RpcClient {
  const { name, inProcess, now = () => performance.now() } = options
  const calls = new PendingCalls(bus, { findReceiver: inProcess?.receiversFor(name), now })
  const defaults = { timeoutMs: options.defaultTimeoutMs ?? 5_000, interceptors: options.interceptors ?? [] }
  return {
    call: (method, body, meta) => {
      if (!isRecording()) return calls.call({ ...meta, method, body })
      const parent = currentTraceparent() === '' ? meta.traceparent : undefined
      return callSpan(method, { kind: 'client', system: 'nats', parent }, () =>
        calls.call({ ...meta, method, body, traceparent: currentTraceparent() || parent }),
      )
    },
    transport: (transportOptions = {}) => createBusTransport(calls, defaults, transportOptions),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  }
}
