import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { crossOriginHeaders } from '@parley/runtime'
import { exposedReplyHeaders } from '../actions/forward/forward.ts'

const exposedHeaders = ['grpc-status', 'grpc-message', 'grpc-status-details-bin', ...exposedReplyHeaders]

/** Paths that pages of any origin may call, without credentials: clients need them before and during sign-in. */
const publicPaths =
  /\/svc\.discovery\.v1\.ServerDiscoveryService\/GetServer$|^\/oauth\/token$|^\/api\/(server|graphql)$/

export function corsHeaders(
  { headers }: IncomingMessage,
  path: string,
  own: { publicUrl: string; allowedOrigins: readonly string[] },
): OutgoingHttpHeaders {
  // Always sent, because caches keep one response for requests with and without an origin.
  if (publicPaths.test(path))
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders.join(', ') }
  return crossOriginHeaders(headers, { ...own, exposedHeaders })
}
