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

/** What pages of other origins may do: whose, and which headers of an answer they may read. */
export type CrossOrigin = {
  /** Where people reach this server. */
  publicUrl: string
  allowedOrigins: readonly string[]
  exposedHeaders: readonly string[]
}

/**
 * Whether a page of this server itself asks. Over https that is the origin of `publicUrl` alone: whoever is on the way can
 * make pages of the same name over http. Where there is no https the server may go by several names, as the request does.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  const { origin: own, protocol } = new URL(publicUrl)
  return origin === own || (protocol === 'http:' && origin === `http://${host}`)
}

/**
 * The headers that let a page of another origin read an answer: those of the origins named, and our own, with what the
 * browser sends along unasked; any other without that when `*` is among them; else none.
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

/** Whether a browser asks what a page may do. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** The answer to that, on top of the headers that let the page read it. */
export const preflightHeaders = (cors: OutgoingHttpHeaders): OutgoingHttpHeaders => ({
  ...cors,
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': allowedHeaders,
  'access-control-max-age': maxAgeSeconds,
  'content-length': '0',
})
