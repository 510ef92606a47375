import type { DescService } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { type Deployable, type OwnedMethodName, services } from '@parley/contracts/catalogue'
import type { ServiceRoutes } from './routes.ts'

/** The handlers of a deployable by service; a missing handler is a compile error. */
export type Handlers<D extends Deployable> = {
  readonly [N in keyof (typeof services)[D]]: (typeof services)[D][N] extends infer S extends DescService
    ? Pick<ServiceImpl<S>, OwnedMethodName<D, S> & keyof ServiceImpl<S>>
    : never
}

export function handlersOf<D extends Deployable>(
  deployable: D,
  handlers: Handlers<D>,
): (routes: ServiceRoutes) => void {
  const owned: Record<string, DescService> = services[deployable]
  const implementations = handlers as Record<string, Partial<ServiceImpl<DescService>>>
  return (routes) => {
    for (const [name, service] of Object.entries(owned)) routes.service(service, implementations[name] ?? {})
  }
}
