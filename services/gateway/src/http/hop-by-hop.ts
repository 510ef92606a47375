import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Headers between two neighbours; an expectation is answered by the first of them. */
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

/** The headers that are for the other end, not for the next hop: without those that `Connection` names. */
export function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)))
}

/** What the gateway says of the client that it passes a request on for. */
export type Forwarded = (request: IncomingMessage) => Record<string, string>

/**
 * What a server behind the gateway is sent beside a body: whoever sends the body says how long it is. Names that our own
 * processes use among each other mean nothing from outside, nor does what a client says of where it is.
 */
export function onwardHeaders(request: IncomingMessage, forwarded: Forwarded): IncomingHttpHeaders {
  const isOurs = (name: string): boolean =>
    ['content-length', 'forwarded', 'x-forwarded-for', 'x-real-ip'].includes(name) || name.startsWith('parley-')
  const kept = Object.entries(endToEnd(request.headers)).filter(([name]) => !isOurs(name))
  return { ...Object.fromEntries(kept), ...forwarded(request) }
}

/** A proxy may send the whole URL; the server behind is asked for the path. */
export const onwardPath = (target: string | undefined): string => (target ?? '/').replace(/^https?:\/\/[^/?#]*/i, '')
