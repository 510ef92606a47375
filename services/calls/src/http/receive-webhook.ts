import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { isSigned, readWebhook } from '../engines/livekit/index.ts'
import { countWebhook } from '../metrics.ts'
import { handleWebhook } from '../actions/webhooks/handle-webhook.ts'
import { readBody } from './read-body.ts'
import { replyJson } from './reply.ts'

const maxBytes = 65_536

export async function receiveWebhook(ctx: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = (status: number, error: string, headers = {}) => {
    countWebhook('refused')
    replyJson(response, status, { error }, headers)
  }
  if (!ctx.media) return refuse(404, 'voice calls are not configured')
  if (request.method !== 'POST') return refuse(405, 'method not allowed: use POST', { allow: 'POST' })
  const body = await readBody(request, maxBytes)
  if (!body) return refuse(413, `the body is larger than ${maxBytes} bytes`)
  if (!(await isSigned(ctx.media.settings, body, request.headers.authorization)))
    return refuse(401, 'the webhook is not signed with a key of this server')
  const event = readWebhook(body)
  if (!event) return refuse(400, 'the body is not an event of the media server')
  const taken = await handleWebhook(ctx, ctx.media, event)
  countWebhook(taken ? 'taken' : 'ignored')
  replyJson(response, 200, { taken })
}
