import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

export function replyJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: OutgoingHttpHeaders = {},
): void {
  // The unread rest of a body cannot be distinguished from the next request on this connection.
  const connection = response.req.complete ? {} : { connection: 'close' }
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...connection, ...headers })
    .end(JSON.stringify(value))
}
