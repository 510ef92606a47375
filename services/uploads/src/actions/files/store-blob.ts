import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newId } from '@parley/ids'
import type { BlobTicket } from '@parley/signed-urls'
import type { Context } from '../../context.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { insertBlob } from '../../store/blobs.ts'

/**
 * Resolves with the id of the blob, also if the ticket was used before; with undefined if the bytes do not match the
 * ticket.
 */
export async function storeBlob(
  { db, storage, now }: Pick<Context, 'db' | 'storage' | 'now'>,
  ticket: BlobTicket,
  bytes: AsyncIterable<Buffer>,
): Promise<string | undefined> {
  const id = newId('asset')
  const key = storageKeys.blob(id)
  const verifier = new BodyVerifier(ticket)
  await storage.put(key, Readable.from(verifier.through(bytes)))
  if (!verifier.matches()) {
    await storage.delete(key)
    return undefined
  }
  const { callerId, nonce, size } = ticket
  const known = await insertBlob(db, { id, callerId, nonce, size, createdAt: now() })
  if (known !== id) await storage.delete(key)
  return known
}

/** Counts and hashes a body while it is stored. Ends it once it is longer than its ticket allows. */
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

  matches(): boolean {
    return this.#length === this.#ticket.size && this.#hash.digest('hex') === this.#ticket.sha256
  }
}
