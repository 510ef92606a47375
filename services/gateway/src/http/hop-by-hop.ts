import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { currentTraceparent } from '@parley/telemetry'

/** Headers that apply to one connection. `Expect` is answered by the first server. */
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

/** The end-to-end headers: without hop-by-hop headers and those that `Connection` names. */
export function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)))
}

/** Headers that describe the client to the server behind the gateway. */
export type Forwarded = (request: IncomingMessage) => Record<string, string>

/**
 * Headers of a forwarded request, except the content length, which the sender of the body sets. Drops names reserved
 * for our own processes, and the client's claims about its own address. The trace context is kept.
 */
export function onwardHeaders(request: IncomingMessage, forwarded: Forwarded): IncomingHttpHeaders {
  const isOurs = (name: string): boolean =>
    ['content-length', 'forwarded', 'x-forwarded-for', 'x-real-ip'].includes(name) || name.startsWith('parley-')
  const kept = Object.entries(endToEnd(request.headers)).filter(([name]) => !isOurs(name))
  const traceparent = currentTraceparent()
  return { ...Object.fromEntries(kept), ...(traceparent && { traceparent }), ...forwarded(request) }
}

/** A proxy may send the whole URL; the upstream server gets the path. */
export const onwardPath = (target: string | undefined): string => (target ?? '/').replace(/^https?:\/\/[^/?#]*/i, '')
