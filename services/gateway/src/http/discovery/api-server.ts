import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { failureOf } from '../failure.ts'
import { replyJson } from '../reply.ts'
import type { DiscoveryContext } from './context.ts'

const allow = 'GET, HEAD, OPTIONS'

export async function serveApiServer(
  context: DiscoveryContext,
  request: IncomingMessage,
  response: ServerResponse,
  cors: OutgoingHttpHeaders,
): Promise<void> {
  request.resume()
  const { method } = request
  if (method === 'OPTIONS') return void response.writeHead(204, { ...cors, allow }).end()
  if (method !== 'GET' && method !== 'HEAD')
    return replyJson(request, response, 405, { error: 'method not allowed: use GET' }, { ...cors, allow })
  try {
    context.admit(request)
    const info = await context.describe()
    await replyJson(request, response, 200, info, { ...cors, 'cache-control': 'public, max-age=300' })
  } catch (thrown) {
    const { status, text, headers } = failureOf(thrown, context.onUnexpected)
    await replyJson(request, response, status, { error: text }, { ...cors, ...headers })
  }
}
