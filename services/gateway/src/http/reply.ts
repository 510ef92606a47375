import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const gzipAsync = promisify(gzip)

const takesGzip = (request: IncomingMessage): boolean => {
  const accepted = request.headers['accept-encoding']
  return typeof accepted === 'string' && /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[\d.]+)?\s*(,|$)/i.test(accepted)
}

/** Sends a whole answer, compressed when that is worth it and wanted. */
export async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { status: number; headers: OutgoingHttpHeaders; body: Uint8Array; compressFrom?: number },
): Promise<void> {
  const { status, headers, compressFrom = 0 } = answer
  let { body } = answer
  if (compressFrom > 0 && body.length >= compressFrom) {
    headers['vary'] = [headers['vary'], 'Accept-Encoding'].filter(Boolean).join(', ')
    if (takesGzip(request)) {
      body = await gzipAsync(body)
      headers['content-encoding'] = 'gzip'
    }
  }
  headers['content-length'] = body.length
  // What is left of a body that was refused cannot be told from the next request on this connection.
  if (!request.complete) headers['connection'] = 'close'
  response.writeHead(status, headers).end(body)
}

/** Sends JSON that is not part of an RPC. */
export function replyJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: object,
  headers: OutgoingHttpHeaders = {},
): Promise<void> {
  const body = Buffer.from(JSON.stringify(value))
  return reply(request, response, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body,
  })
}
