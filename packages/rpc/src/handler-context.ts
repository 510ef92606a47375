import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { callerHeader, decodeCaller, type Caller } from '@parley/credentials'
import { blobHeader, keyHeader } from './envelope.ts'
import { CallContext } from './server/call-context.ts'

/** Throws `unauthenticated` if the call names no user. */
export function callerOf(call: HandlerContext): Caller {
  if (!(call instanceof CallContext)) return read(call.requestHeader.get(callerHeader))
  return (call.caller ??= read(call.getHeader(callerHeader)))
}

/** The caller's own key, or `auto:...` from the gateway; undefined without one. */
export function idempotencyKeyOf(call: HandlerContext): string | undefined {
  return headerOf(call, keyHeader)
}

/**
 * Id of the bytes that the gateway moved from the request to uploads, for `StoreServerImage`; undefined if there were
 * none.
 */
export function blobOf(call: HandlerContext): string | undefined {
  return headerOf(call, blobHeader)
}

function headerOf(call: HandlerContext, name: string): string | undefined {
  if (call instanceof CallContext) return call.getHeader(name)
  return call.requestHeader.get(name) ?? undefined
}

function read(header: string | null | undefined): Caller {
  if (!header) throw new ConnectError('authentication required: sign in first', Code.Unauthenticated)
  return decodeCaller(header)
}
