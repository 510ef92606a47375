import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'
import { translateDatabaseError } from '@parley/postgres'
import type { Context } from '../context.ts'
import { reportFailedRequest } from '../metrics.ts'
import { receiveWebhook } from './receive-webhook.ts'
import { replyJson } from './reply.ts'

const webhookPath = '/webhooks/livekit'

export const routeOf = (path: string): string => (path === webhookPath ? path : '*')

export function handleRequests(ctx: Context): RequestListener {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = (request.url ?? '/').split('?', 1)
    if (path === webhookPath) return receiveWebhook(ctx, request, response)
    replyJson(response, 404, { error: 'not found' })
  }
  return (request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      if (request.destroyed && !request.complete) return
      if (response.headersSent) return response.destroy()
      const error = thrown instanceof ConnectError ? thrown : translateDatabaseError(thrown)
      if (!error) reportFailedRequest(thrown)
      const status = codeToHttpStatus(error?.code ?? Code.Internal)
      return replyJson(response, status, { error: error?.rawMessage ?? 'internal server error' })
    })
  }
}
