import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { inTurn } from './in-turn.ts'

/** Whether a request brings a body, however its length is given. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0

/**
 * Answers what a server is asked, one request of a connection after the other. Only a POST may bring a body, and only one
 * whose end every server finds at the same place: any other is refused unread and uninvited, the connection closes, and
 * what follows on it is never taken for a request.
 */
export function answerRequests(server: Server, handle: RequestListener): void {
  const answer = (request: IncomingMessage, response: ServerResponse, prepare?: () => void): void =>
    inTurn(request.socket, response, () => {
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
    inTurn(request.socket, response, () => refuse(request, response, refusalOf(request) ?? otherExpectation)),
  )
}

type Refusal = { status: number; error: string; allow?: string }

const otherExpectation: Refusal = { status: 417, error: 'the only expectation that is met here is 100-continue' }

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
