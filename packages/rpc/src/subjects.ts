import type { DescMethod } from '@bufbuild/protobuf'

const known = new Map<DescMethod, string>()

/**
 * Subject of a method: `rpc.svc_api_v1_RoomService.CreateRoom`, and below `rpc.internal.` for services of
 * `svc.internal.v1`, for which the bus has separate permissions.
 */
export function rpcSubject(method: DescMethod): string {
  let subject = known.get(method)
  if (subject === undefined) {
    const service = method.parent.typeName.replaceAll('.', '_')
    subject = `${isInternal(method) ? 'rpc.internal' : 'rpc'}.${service}.${method.name}`
    known.set(method, subject)
  }
  return subject
}

export function isInternal(method: DescMethod): boolean {
  return method.parent.typeName.startsWith('svc.internal.')
}

/** Whether a method needs a signed-in caller, as all of `svc.api` and `svc.admin` do. */
export function needsCaller(method: DescMethod): boolean {
  return /^svc\.(api|admin)\./.test(method.parent.typeName)
}

/** Name of a method in messages to people: `RoomService.CreateRoom`. */
export function methodName(method: DescMethod): string {
  return `${method.parent.name}.${method.name}`
}
