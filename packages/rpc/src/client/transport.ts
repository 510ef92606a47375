import { create, fromBinary, type DescMethodUnary } from '@bufbuild/protobuf'
import {
  createContextValues,
  type ContextValues,
  type Interceptor,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect'
import { encodeCaller, type Caller } from '@parley/credentials'
import { encode } from '@parley/protobuf'
import { currentTraceparent } from '@parley/telemetry'
import { keyHeader } from '../envelope.ts'
import { unreadableReply } from '../errors.ts'
import { intercept, noStreams } from '../interceptors.ts'
import { callSpan } from '../spans.ts'
import { rpcSubject } from '../subjects.ts'
import { LazyResponse } from './lazy-response.ts'
import type { PendingCalls } from './pending-calls.ts'

export type TransportOptions = {
  /** The signed-in user on whose behalf every call is made; only the gateway may call methods that need one. */
  readonly caller?: Caller
}

type Defaults = { readonly timeoutMs: number; readonly interceptors: readonly Interceptor[] }

const span = { kind: 'client', system: 'nats' } as const

/** Unary methods only. */
export function createBusTransport(calls: PendingCalls, defaults: Defaults, options: TransportOptions): Transport {
  const { interceptors } = defaults
  const caller = options.caller && encodeCaller(options.caller)

  const send = async (
    method: DescMethodUnary,
    message: UnaryRequest['message'],
    header: Headers | undefined,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<UnaryResponse> => {
    const idempotencyKey = header?.get(keyHeader) ?? undefined
    // A copy, because an interceptor may send its request again.
    const extra = header && new Headers(header)
    extra?.delete(keyHeader)
    const body = encode(method.input, message)
    const traceparent = currentTraceparent()
    const reply = await calls.call({
      method,
      body,
      timeoutMs,
      caller,
      idempotencyKey,
      traceparent,
      extra,
      signal,
    })
    return new LazyResponse(method, decode(method, reply.body), reply.headers)
  }

  const unary: UnaryOfAnyMethod = (method, signal, timeoutMs, header, input, contextValues) => {
    const message = create(method.input, input)
    const budget = timeoutMs ?? defaults.timeoutMs
    const headers = header && new Headers(header)
    return callSpan(method, span, async () => {
      if (interceptors.length === 0) return send(method, message, headers, budget, signal)
      const request = requestOf(method, message, headers, signal, contextValues)
      return intercept(interceptors, request, (last) => send(method, last.message, last.header, budget, signal))
    })
  }

  return {
    unary: unary as Transport['unary'],
    stream: () => Promise.reject(noStreams()),
  }
}

/** `Transport.unary` for a method whose types are not known; each output is decoded by its own descriptor. */
type UnaryOfAnyMethod = (
  method: DescMethodUnary,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  header: ConstructorParameters<typeof Headers>[0],
  input: Parameters<typeof create<DescMethodUnary['input']>>[1],
  contextValues?: ContextValues,
) => Promise<UnaryResponse>

function decode(method: DescMethodUnary, body: Uint8Array): UnaryResponse['message'] {
  try {
    return fromBinary(method.output, body)
  } catch (cause) {
    throw unreadableReply(cause)
  }
}

function requestOf(
  method: DescMethodUnary,
  message: UnaryRequest['message'],
  header: Headers | undefined,
  signal: AbortSignal | undefined,
  contextValues: ContextValues | undefined,
): UnaryRequest {
  return {
    stream: false,
    service: method.parent,
    method,
    requestMethod: 'POST',
    url: `nats:${rpcSubject(method)}`,
    signal: signal ?? new AbortController().signal,
    header: header ?? new Headers(),
    contextValues: contextValues ?? createContextValues(),
    message,
  }
}
