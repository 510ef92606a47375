import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { currentTraceparent } from '@parley/telemetry'

/** `Expect` is among them because the gateway answers it itself. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
])

export function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)))
}

export type DescribeClient = (request: IncomingMessage) => Record<string, string>

/**
 * Drops headers reserved for our own processes, the client's claims about its own address, and the content length, which
 * `HttpProxy` forwards only with a body.
 */
export function upstreamHeaders(request: IncomingMessage, describeClient: DescribeClient): IncomingHttpHeaders {
  const isDropped = (name: string): boolean =>
    ['content-length', 'forwarded', 'x-forwarded-for', 'x-real-ip'].includes(name) || name.startsWith('parley-')
  const kept = Object.entries(endToEndHeaders(request.headers)).filter(([name]) => !isDropped(name))
  const traceparent = currentTraceparent()
  return { ...Object.fromEntries(kept), ...(traceparent && { traceparent }), ...describeClient(request) }
}

/** A proxy may have sent the whole URL. */
export const upstreamPath = (target: string | undefined): string => (target ?? '/').replace(/^https?:\/\/[^/?#]*/i, '')
