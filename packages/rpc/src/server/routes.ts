import type { DescMethod, DescMethodUnary, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext, MethodImpl, ServiceImpl } from '@connectrpc/connect'
import { isInternal, methodName, needsCaller } from '../subjects.ts'

/** The part of Connect's router that unary methods need. */
export type ServiceRoutes = {
  /** May be called several times for one service. */
  service<T extends DescService>(service: T, implementation: Partial<ServiceImpl<T>>): ServiceRoutes
  rpc<M extends DescMethodUnary>(method: M, implementation: MethodImpl<M>): ServiceRoutes
}

export type ServedMethod = {
  readonly method: DescMethodUnary
  readonly needsCaller: boolean
  /** Undefined if the method is owned here but answers `unimplemented`. */
  readonly implementation: Implementation | undefined
}

/** An implementation seen from the transport, which knows types only as descriptors. */
export type Implementation = (
  request: MessageShape<DescMethodUnary['input']>,
  context: HandlerContext,
) => Promise<MessageInitShape<DescMethodUnary['output']>> | MessageInitShape<DescMethodUnary['output']>

/**
 * The methods to subscribe to: the owned ones, implemented or not, and all methods of the registered internal services.
 * Throws if an implemented method is a stream, is implemented twice, or is a public method of another deployable.
 */
export function collectRoutes(owned: readonly DescMethod[], register: (routes: ServiceRoutes) => void): ServedMethod[] {
  const implementations = new Map<DescMethodUnary, Implementation>()
  const served = new Set(owned.filter(isUnary))

  const add = (method: DescMethod, implementation: Implementation) => {
    if (!isUnary(method)) throw new Error(`${methodName(method)} is a stream; the bus supports only unary methods`)
    if (implementations.has(method)) throw new Error(`${methodName(method)} is implemented twice`)
    if (!isInternal(method) && !served.has(method))
      throw new Error(`${methodName(method)} is owned by another deployable`)
    served.add(method)
    implementations.set(method, implementation)
  }

  const routes: ServiceRoutes = {
    service(service, implementation) {
      for (const method of service.methods) {
        if (isInternal(method) && isUnary(method)) served.add(method)
        const found = implementation[method.localName]
        if (found) add(method, found.bind(implementation) as Implementation)
      }
      return routes
    },
    rpc(method, implementation) {
      add(method, implementation)
      return routes
    },
  }
  register(routes)

  return [...served].map((method) => ({
    method,
    needsCaller: needsCaller(method),
    implementation: implementations.get(method),
  }))
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary'
}
