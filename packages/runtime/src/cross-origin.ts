import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Connect-Protocol-Version',
  'Connect-Timeout-Ms',
  'X-CSRF-Token',
  'Range',
  'If-Range',
  'If-None-Match',
  'If-Modified-Since',
  'Idempotency-Key',
  'X-Grpc-Web',
  'X-User-Agent',
  'Grpc-Timeout',
  'traceparent',
].join(', ')
const maxAgeSeconds = '86400'

export type CrossOrigin = {
  publicUrl: string
  allowedOrigins: readonly string[]
  exposedHeaders: readonly string[]
}

/**
 * Whether the request comes from a page of this server. With https that is only the origin of `publicUrl`: an attacker
 * on the network can serve pages under the same name over http. Without https the server may have several names, so the
 * name in the request counts.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  const { origin: own, protocol } = new URL(publicUrl)
  return origin === own || (protocol === 'http:' && origin === `http://${host}`)
}

/**
 * CORS headers of a response: the allowed origins and our own may read it with credentials; other origins only without
 * credentials and if `*` is allowed. The only header for an origin that may not read it is Vary. A request without an
 * origin gets no header.
 */
export function crossOriginHeaders(
  { origin, host }: IncomingHttpHeaders,
  { publicUrl, allowedOrigins, exposedHeaders }: CrossOrigin,
): OutgoingHttpHeaders {
  if (origin === undefined) return {}
  const exposed = { 'access-control-expose-headers': exposedHeaders.join(', ') }
  if (isOwnOrigin(origin, host, publicUrl) || allowedOrigins.includes(origin))
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
      ...exposed,
    }
  return allowedOrigins.includes('*') ? { 'access-control-allow-origin': '*', ...exposed } : { vary: 'Origin' }
}

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** `cors`: the headers that every response has. */
export const preflightHeaders = (cors: OutgoingHttpHeaders): OutgoingHttpHeaders => ({
  ...cors,
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': allowedHeaders,
  'access-control-max-age': maxAgeSeconds,
  'content-length': '0',
})
