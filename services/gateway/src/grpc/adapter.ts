import { fromBinary, type DescMethodUnary, type Message } from '@bufbuild/protobuf'
import {
  createContextKey,
  createContextValues,
  ConnectError,
  type ConnectRouter,
  type HandlerContext,
  type MethodImpl,
} from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { encode } from '@parley/protobuf'
import { callSpan } from '@parley/rpc'
import { clientTraceparent, isRecording } from '@parley/telemetry'
import { exposedReplyHeaders, type Forwarder } from '../actions/forward/forward.ts'
import { bodyOverheadBytes, connectPrefix, methodsByPath, type PublicMethod } from '../actions/forward/methods.ts'
import { missedClientDeadline, shortenTimeout } from '../http/deadline.ts'
import type { Metrics } from '../metrics.ts'
import { registerReflection } from './reflection.ts'

type Options = { forwarder: Forwarder; maxUploadBytes: number; requestTimeoutMs: number; metrics: Metrics }
export type NodeHandler = ReturnType<typeof connectNodeAdapter>
export type NodeServerRequest = Parameters<NodeHandler>[0]
export type NodeServerResponse = Parameters<NodeHandler>[1]

const peerKey = createContextKey<string | undefined>(undefined)

/** In bytes; methods with an image or without a caller have their own limit. */
const maxMessageBytes = 2 * 1024 * 1024

/**
 * For gRPC, gRPC-Web, streams (reflection) and all calls over HTTP/2. Unary Connect calls over HTTP/1.1 go to
 * `ConnectUnary`.
 */
export function createAdapters(options: Options): { root: NodeHandler; prefixed: NodeHandler } {
  const routes = (router: ConnectRouter): void => {
    const withImage = { readMaxBytes: options.maxUploadBytes + bodyOverheadBytes }
    for (const known of methodsByPath.values())
      router.rpc(known.method, createHandler(known, options), known.carriesImage ? withImage : readLimitOf(known))
    registerReflection(router)
  }
  const common = {
    routes,
    readMaxBytes: maxMessageBytes,
    maxTimeoutMs: options.requestTimeoutMs * 10,
    contextValues: ({ socket }: NodeServerRequest) => createContextValues().set(peerKey, socket.remoteAddress),
  }
  return {
    root: withShortTimeout(connectNodeAdapter(common)),
    prefixed: withShortTimeout(connectNodeAdapter({ ...common, requestPathPrefix: connectPrefix })),
  }
}

const withShortTimeout =
  (handler: NodeHandler): NodeHandler =>
  (request, response) => {
    shortenTimeout(request.headers)
    handler(request, response)
  }

const readLimitOf = ({ needsCaller, maxBodyBytes }: PublicMethod) => (needsCaller ? {} : { readMaxBytes: maxBodyBytes })

const spanOf = ({ protocolName, requestHeader }: HandlerContext) =>
  ({
    kind: 'server',
    system: protocolName === 'connect' ? 'connectrpc' : 'grpc',
    parent: clientTraceparent(requestHeader.get('traceparent') ?? undefined),
  }) as const

function createHandler(
  known: PublicMethod,
  { forwarder, requestTimeoutMs, metrics }: Options,
): MethodImpl<DescMethodUnary> {
  const { input, output } = known.method
  const forward = async (request: Message, context: HandlerContext) => {
    const header = (name: string) => context.requestHeader.get(name) ?? undefined
    const admitted = await forwarder.admit(known, {
      header,
      peer: context.values.get(peerKey),
      signal: () => context.signal,
    })
    const timeoutMs = Math.min(context.timeoutMs() ?? requestTimeoutMs, requestTimeoutMs)
    const setCookies = (cookies: string[]) => cookies.forEach((it) => context.responseHeader.append('set-cookie', it))
    setCookies(admitted.cookies)
    const answer = await forwarder.send(
      admitted,
      encode(input, request),
      timeoutMs,
      clientTraceparent(header('traceparent')),
    )
    setCookies(forwarder.startedSessionCookies(admitted, answer))
    for (const name of exposedReplyHeaders) {
      const value = answer.headers?.get(name)
      if (value !== undefined) context.responseHeader.set(name, value)
    }
    return fromBinary(output, answer.body)
  }
  return async (request, context) => {
    const began = performance.now()
    const isGrpc = context.protocolName !== 'connect'
    const clientMs = context.timeoutMs()
    try {
      const answer = isRecording()
        ? await callSpan(known.method, spanOf(context), () => forward(request, context))
        : await forward(request, context)
      metrics.countCall(known.method, {}, began, isGrpc)
      return answer
    } catch (error) {
      const { code } = ConnectError.from(error)
      metrics.countCall(
        known.method,
        { code, missedClientDeadline: missedClientDeadline(code, clientMs, requestTimeoutMs) },
        began,
        isGrpc,
      )
      throw error
    }
  }
}
