import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

export function replyJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: OutgoingHttpHeaders = {},
): void {
  // After a body that was not read completely, its rest could not be distinguished from the next request.
  const connection = response.req.complete ? {} : { connection: 'close' }
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...connection, ...headers })
    .end(JSON.stringify(value))
}
