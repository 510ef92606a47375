import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientTraceparent, histogram, markFailed, withSpan, type LabelsOf } from '@parley/telemetry'

const served = histogram('http.server.request.duration', {
  description:
    'Time from the head of a request to the end of its response, or to the start of the response for public calls',
  unit: 's',
  labels: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type'],
})
const requested = histogram('http.client.request.duration', {
  description: 'Time until a request to another server over HTTP was answered or failed',
  unit: 's',
  labels: ['parley.peer', 'http.response.status_code', 'error.type'],
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const
type Method = (typeof methods)[number] | '_OTHER'

const methodOf = (method = ''): Method => methods.find((known) => known === method) ?? '_OTHER'

type Answered = {
  method: string | undefined
  /** The method of the contract, or the pattern of the path: never the path itself. */
  route: string
  status: number
  /** One of a few values. */
  error?: string | undefined
  durationMs: number
}

export function countServedRequest({ method, route, status, error, durationMs }: Answered): void {
  const labels = { 'http.request.method': methodOf(method), 'http.route': route, 'http.response.status_code': status }
  const failure = error ?? (status >= 500 ? String(status) : undefined)
  served(durationMs / 1000, failure === undefined ? labels : { ...labels, 'error.type': failure })
}

/**
 * Handles a request inside its span, which ends with the response; `route` as for {@link countServedRequest}. Call it only
 * while spans are recorded.
 */
export async function traceRequest(
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
  handle: () => Promise<void> | void,
): Promise<void> {
  const method = methodOf(request.method)
  const attributes = { 'http.request.method': method, 'http.route': route }
  const sent = request.headers['traceparent']
  const parent = clientTraceparent(typeof sent === 'string' ? sent : undefined)
  await withSpan(`${method} ${route}`, { kind: 'server', parent, attributes }, async (span) => {
    const answered = response.closed ? undefined : new Promise((resolve) => response.once('close', resolve))
    await handle()
    await answered
    const status = statusOf(response)
    span.setAttribute('http.response.status_code', status)
    if (status >= 500) markFailed(span, String(status))
  })
}

/**
 * Counts a request when its response has ended or its client has disconnected; `route` as for
 * {@link countServedRequest}.
 */
export function countWhenAnswered(request: IncomingMessage, response: ServerResponse, route: string): void {
  const startedAt = performance.now()
  response.once('close', () => {
    const { method } = request
    countServedRequest({ method, route, status: statusOf(response), durationMs: performance.now() - startedAt })
  })
}

/** The status for metrics; 499, as in nginx, if the client disconnected before the response. */
const statusOf = (response: ServerResponse): number => (response.headersSent ? response.statusCode : 499)

export type Peer = LabelsOf<'parley.peer'>['parley.peer']

/**
 * Measures a request to an external server. `statusOf` returns the HTTP status of an answer, if it is known; an error
 * of `request` counts as a failure.
 */
export async function measureOutgoing<T>(
  peer: Peer,
  request: () => Promise<T>,
  statusOf: (answer: T) => number | undefined = () => undefined,
): Promise<T> {
  const startedAt = performance.now()
  try {
    const answer = await request()
    countOutgoingRequest(peer, performance.now() - startedAt, statusOf(answer))
    return answer
  } catch (error) {
    const status = statusOfError(error)
    countOutgoingRequest(peer, performance.now() - startedAt, status, status === undefined ? 'no_answer' : undefined)
    throw error
  }
}

export function countOutgoingRequest(peer: Peer, durationMs: number, status?: number, error?: string): void {
  const failure = error ?? (status !== undefined && status >= 400 ? String(status) : undefined)
  requested(durationMs / 1000, {
    'parley.peer': peer,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(failure !== undefined && { 'error.type': failure }),
  })
}

/** Client libraries put the status into the error. */
function statusOfError(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { status, $metadata } = error as { status?: unknown; $metadata?: { httpStatusCode?: unknown } }
  const found = status ?? $metadata?.httpStatusCode
  return typeof found === 'number' ? found : undefined
}
