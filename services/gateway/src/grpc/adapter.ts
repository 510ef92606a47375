import { fromBinary, toBinary, type DescMethodUnary } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { publicServices } from '@parley/contracts/catalogue'
import { exposedReplyHeaders, type Forwarder } from '../forward/forward.ts'
import { connectPrefix, methodsByPath } from '../forward/methods.ts'
import { reflection } from './reflection.ts'

type Options = { forwarder: Forwarder; requestTimeoutMs: number }
export type NodeHandler = ReturnType<typeof connectNodeAdapter>

// Above the largest body of a single method: each method's own limit answers first.
const maxMessageBytes = 2 * 1024 * 1024

/** gRPC, gRPC-Web, streams (reflection) and whatever else is not a plain unary Connect call, at the root and below the prefix. */
export function protocolAdapters(options: Options): { root: NodeHandler; prefixed: NodeHandler } {
  const routes = (router: ConnectRouter): void => {
    for (const service of publicServices)
      router.service(
        service,
        Object.fromEntries(
          service.methods.map((method) => [method.localName, forwarding(method as DescMethodUnary, options)]),
        ),
      )
    reflection(router)
  }
  const common = { routes, readMaxBytes: maxMessageBytes, maxTimeoutMs: options.requestTimeoutMs * 10 }
  return {
    root: connectNodeAdapter(common),
    prefixed: connectNodeAdapter({ ...common, requestPathPrefix: connectPrefix }),
  }
}

function forwarding(method: DescMethodUnary, { forwarder, requestTimeoutMs }: Options) {
  const known = methodsByPath.get(`/${method.parent.typeName}/${method.name}`)
  if (!known) throw new Error(`${method.parent.typeName}.${method.name} is not in the catalogue`)
  return async (request: Parameters<typeof toBinary<typeof method.input>>[1], context: HandlerContext) => {
    const header = (name: string) => context.requestHeader.get(name) ?? undefined
    const admitted = await forwarder.admit(known, header)
    const timeoutMs = Math.min(context.timeoutMs() ?? requestTimeoutMs, requestTimeoutMs)
    const answer = await forwarder.send(admitted, toBinary(method.input, request), timeoutMs, header('traceparent'))
    for (const name of exposedReplyHeaders) {
      const value = answer.headers?.get(name)
      if (value !== undefined) context.responseHeader.set(name, value)
    }
    return fromBinary(method.output, answer.body)
  }
}
