import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Connect-Protocol-Version',
  'Connect-Timeout-Ms',
  'X-CSRF-Token',
  'Range',
  'If-None-Match',
  'If-Modified-Since',
  'Idempotency-Key',
  'X-Grpc-Web',
  'X-User-Agent',
  'Grpc-Timeout',
  'traceparent',
].join(', ')
const exposedHeaders = [
  'Grpc-Status',
  'Grpc-Message',
  'Grpc-Status-Details-Bin',
  'Retry-After',
  'Idempotency-Replayed',
].join(', ')
const maxAgeSeconds = '86400'

/** For pages of any origin, without credentials: what a client must know before it can sign in, and how it then does. */
const publicPaths =
  /\/svc\.discovery\.v1\.ServerDiscoveryService\/GetServer$|^\/oauth\/token$|^\/api\/(server|graphql)$/

/** The headers that let a page of another origin read the answer; none when it may not. */
export function corsHeaders(
  request: IncomingMessage,
  path: string,
  allowedOrigins: readonly string[],
): OutgoingHttpHeaders {
  const { origin, host } = request.headers
  // Asked for by a page or not: caches keep one answer for both.
  if (publicPaths.test(path)) return { 'access-control-allow-origin': '*', ...exposed }
  if (origin === undefined) return {}
  const own = URL.canParse(origin) && new URL(origin).host === host
  if (own || allowedOrigins.includes(origin))
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
      ...exposed,
    }
  return allowedOrigins.includes('*') ? { 'access-control-allow-origin': '*', ...exposed } : { vary: 'Origin' }
}

const exposed = { 'access-control-expose-headers': exposedHeaders }

export const isPreflight = (request: IncomingMessage): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined

export const preflightHeaders = (cors: OutgoingHttpHeaders): OutgoingHttpHeaders => ({
  ...cors,
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': allowedHeaders,
  'access-control-max-age': maxAgeSeconds,
  'content-length': '0',
})
