import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Whether a request brings a body, however its length is given. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0

/**
 * Answers what a server is asked. Only a POST may bring a body, and only one whose end every server finds at the same
 * place: any other is refused unread and uninvited, the connection closes, and what follows on it is never taken for a
 * request.
 */
export function answerRequests(server: Server, handle: RequestListener): void {
  const closing = new WeakSet<Socket>()
  const isRefused = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (closing.has(request.socket)) return true
    const refusal = refusalOf(request)
    if (!refusal) return false
    closing.add(request.socket)
    refuse(request, response, refusal)
    return true
  }
  server.on('request', (request, response) => {
    if (!isRefused(request, response)) handle(request, response)
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (isRefused(request, response)) return
    response.writeContinue()
    handle(request, response)
  })
}

type Refusal = { status: number; error: string; allow?: string }

function refuse({ method }: IncomingMessage, response: ServerResponse, { status, error, allow }: Refusal): void {
  const body = JSON.stringify({ error })
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
      ...(allow !== undefined && { allow }),
    })
    .end(method === 'HEAD' ? undefined : body)
}

function refusalOf(request: IncomingMessage): Refusal | undefined {
  if (!hasBody(request)) return undefined
  const coding = request.headers['transfer-encoding']
  const { method = '' } = request
  if (['GET', 'HEAD', 'OPTIONS'].includes(method))
    return { status: 400, error: `a ${method} request takes no body here` }
  if (method !== 'POST')
    return { status: 405, error: 'method not allowed: use GET or POST', allow: 'GET, HEAD, POST, OPTIONS' }
  if (coding === undefined) return undefined
  if (request.httpVersion !== '1.1') return { status: 400, error: 'Transfer-Encoding needs HTTP/1.1' }
  if (coding.toLowerCase() !== 'chunked') return { status: 501, error: 'the only transfer coding here is chunked' }
  return undefined
}
