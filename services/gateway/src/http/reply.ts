import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { hasBody } from '@parley/runtime'
import { acceptsEncoding } from './accepted.ts'

const gzipAsync = promisify(gzip)

/** Compresses a body of at least `compressFrom` bytes if the client accepts gzip; 0 means never. */
export async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { status: number; headers: OutgoingHttpHeaders; body: Uint8Array; compressFrom?: number },
): Promise<void> {
  const { status, headers, compressFrom = 0 } = answer
  let { body } = answer
  if (compressFrom > 0 && body.length >= compressFrom) {
    headers['vary'] = [headers['vary'], 'Accept-Encoding'].filter(Boolean).join(', ')
    if (acceptsEncoding(request.headers['accept-encoding'], 'gzip')) {
      body = await gzipAsync(body)
      headers['content-encoding'] = 'gzip'
    }
  }
  headers['content-length'] = body.length
  if (request.complete || !hasBody(request)) return void response.writeHead(status, headers).end(body)
  // The unread rest of the request body must not be parsed as the next request on this connection.
  response.writeHead(status, { ...headers, connection: 'close' }).write(body)
  endAfterDiscarding(request, response)
}

/** How long a refused client may continue to send before the connection is closed, in milliseconds. */
const lingerMs = 1_000

/** Closing the connection at once could lose the response. */
function endAfterDiscarding(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(lingering)
    response.end()
  }
  const lingering = setTimeout(end, lingerMs)
  request.once('end', end).once('close', end).resume()
}

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
