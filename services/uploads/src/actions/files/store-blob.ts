import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newId } from '@parley/ids'
import type { BlobTicket } from '@parley/signed-urls'
import type { Context } from '../../context.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { insertBlob } from '../../store/blobs.ts'

/**
 * Stores the bytes that a ticket describes and resolves with the id of the blob. Bytes sent again get the id of the
 * first blob. Resolves with undefined if the bytes are not the described ones.
 */
export async function storeBlob(
  { db, storage, now }: Pick<Context, 'db' | 'storage' | 'now'>,
  ticket: BlobTicket,
  bytes: AsyncIterable<Buffer>,
): Promise<string | undefined> {
  const id = newId('asset')
  const key = storageKeys.blob(id)
  const body = new BodyVerifier(ticket)
  await storage.put(key, Readable.from(body.through(bytes)))
  if (!body.isWhole()) {
    await storage.delete(key)
    return undefined
  }
  const { callerId, nonce, size } = ticket
  const known = await insertBlob(db, { id, callerId, nonce, size, createdAt: now() })
  if (known !== id) await storage.delete(key)
  return known
}

/** Counts and hashes a body on its way, and stops once it is longer than its ticket says. */
class BodyVerifier {
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
