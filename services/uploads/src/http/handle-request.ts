import type { RequestListener } from 'node:http'

export const handleRequest: RequestListener = (request, response) => {
  const error = request.url?.startsWith('/assets/') ? 'no such asset' : 'not found'
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}
