import type { IncomingMessage, ServerResponse } from 'node:http'
import { blobTicketHeader, readBlobTicket } from '@parley/signed-urls'
import type { Context } from '../context.ts'
import { storeBlob } from '../actions/files/store-blob.ts'
import { replyJson } from './reply.ts'

/**
 * `POST /internal/blobs`: stores bytes for a later call. The ticket, which the gateway signs, names the user who sends
 * the bytes.
 */
export async function putBlob(ctx: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST')
    return replyJson(response, 405, { error: 'method not allowed: use POST' }, { allow: 'POST' })
  const given = request.headers[blobTicketHeader]
  const text = typeof given === 'string' ? given : ''
  const tickets = ctx.blobSecrets.map((secret) => readBlobTicket(secret, text, Date.now()))
  const ticket = tickets.find((read) => read !== undefined)
  if (!ticket) return replyJson(response, 401, { error: 'invalid or expired ticket' })
  const { maxUploadBytes } = ctx.fileLimits
  if (ticket.size > maxUploadBytes)
    return replyJson(response, 413, { error: `the body is larger than ${maxUploadBytes} bytes` })

  const id = await storeBlob(ctx, ticket, request)
  if (id === undefined) return replyJson(response, 400, { error: 'the body does not match the ticket' })
  replyJson(response, 201, { id })
}
