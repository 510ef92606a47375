import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { handleInOrder } from './pipelining.ts'

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0

/**
 * Handles the requests of a server, one per connection at a time. Only a POST may have a body, and its length must be
 * unambiguous for every server. A request that breaks these rules is refused without reading its body and without
 * 100-continue; the connection closes, and the bytes that follow are not interpreted as a request.
 */
export function answerRequests(server: Server, handle: RequestListener): void {
  const answer = (request: IncomingMessage, response: ServerResponse, prepare?: () => void): void =>
    handleInOrder(request.socket, response, () => {
      const refusal = refusalOf(request)
      if (refusal) return refuse(request, response, refusal)
      prepare?.()
      handle(request, response)
    })
  server.on('request', answer)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    answer(request, response, () => response.writeContinue()),
  )
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    handleInOrder(request.socket, response, () => refuse(request, response, refusalOf(request) ?? otherExpectation)),
  )
}

type Refusal = { status: number; error: string; allow?: string }

const otherExpectation: Refusal = { status: 417, error: 'the only supported expectation is 100-continue' }

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
    return { status: 400, error: `a ${method} request must not have a body` }
  if (method !== 'POST')
    return { status: 405, error: 'method not allowed: use GET or POST', allow: 'GET, HEAD, POST, OPTIONS' }
  if (coding === undefined) return undefined
  if (request.httpVersion !== '1.1') return { status: 400, error: 'Transfer-Encoding needs HTTP/1.1' }
  if (coding.toLowerCase() !== 'chunked') return { status: 501, error: 'the only supported transfer coding is chunked' }
  return undefined
}
