import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { blobTicketHeader, readBlobTicket, type BlobTicket } from '@parley/signed-urls'
import { newId } from '@parley/ids'
import type { Context } from '../context.ts'
import { storageKeys } from '../engines/storage/index.ts'
import { insertBlob } from '../store/blobs.ts'
import { replyJson } from './reply.ts'

/** `POST /internal/blobs`: puts bytes aside for a call. Only the gateway can sign the ticket that says whose they are. */
export async function putBlob(ctx: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST')
    return replyJson(response, 405, { error: 'method not allowed: use POST' }, { allow: 'POST' })
  const given = request.headers[blobTicketHeader]
  const text = typeof given === 'string' ? given : ''
  const tickets = ctx.blobSecrets.map((secret) => readBlobTicket(secret, text, Date.now()))
  const ticket = tickets.find((read) => read !== undefined)
  if (!ticket) return replyJson(response, 401, { error: 'invalid ticket' })
  const { maxUploadBytes } = ctx.fileLimits
  if (ticket.size > maxUploadBytes)
    return replyJson(response, 413, { error: `the body is larger than ${maxUploadBytes} bytes` })

  const id = newId('asset')
  const key = storageKeys.blob(id)
  const body = new TicketedBody(ticket)
  await ctx.storage.put(key, Readable.from(body.through(request)))
  if (!body.isWhole()) {
    await ctx.storage.delete(key)
    return replyJson(response, 400, { error: 'the body is not the one named in the ticket' })
  }
  const { callerId, nonce, size } = ticket
  const known = await insertBlob(ctx.db, { id, callerId, nonce, size, createdAt: ctx.now() })
  if (known !== id) await ctx.storage.delete(key)
  replyJson(response, 201, { id: known })
}

/** Counts and hashes a body on its way, and stops once it is longer than its ticket says. */
class TicketedBody {
  readonly #ticket: BlobTicket
  readonly #hash = createHash('sha256')
  #length = 0

  constructor(ticket: BlobTicket) {
    this.#ticket = ticket
  }

  async *through(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of body) {
      this.#length += chunk.length
      if (this.#length > this.#ticket.size) return
      this.#hash.update(chunk)
      yield chunk
    }
  }

  isWhole(): boolean {
    return this.#length === this.#ticket.size && this.#hash.digest('hex') === this.#ticket.sha256
  }
}
