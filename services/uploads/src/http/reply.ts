import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

export function replyJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = JSON.stringify(value)
  // Otherwise the rest of a refused body would have to be read before the next request on this connection.
  if (!response.req.complete) headers['connection'] = 'close'
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(response.req.method === 'HEAD' ? undefined : body)
}
