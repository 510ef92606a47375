import type { RequestListener } from 'node:http'

export const handleRequest: RequestListener = (request, response) => {
  const [path] = (request.url ?? '').split('?', 1)
  const error = path === '/webhooks/livekit' ? 'voice calls are not configured' : 'not found'
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}
