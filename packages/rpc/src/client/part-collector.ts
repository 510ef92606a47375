import { maxReplyBytes, partBytes } from '../limits.ts'

const maxParts = Math.ceil(maxReplyBytes / partBytes)

/** Assembles a large reply. Parts arrive in order or are lost, because the bus keeps the order of one sender. */
export class PartCollector {
  receivedAt: number
  bytes = 0
  readonly headers: Map<string, string> | undefined
  readonly #count: number
  readonly #parts: Uint8Array[] = []

  constructor(count: number, headers: Map<string, string> | undefined, now: number) {
    this.#count = count
    this.headers = headers
    this.receivedAt = now
  }

  /** Adds a part. Returns false if an earlier part was lost or the part is invalid. */
  add(index: number, count: number, body: Uint8Array, now: number): boolean {
    if (index !== this.#parts.length || count !== this.#count || count > maxParts || body.length > partBytes)
      return false
    this.#parts.push(body)
    this.bytes += body.length
    this.receivedAt = now
    return true
  }

  /** The whole reply; undefined until every part has arrived. */
  whole(): Uint8Array | undefined {
    return this.#parts.length === this.#count ? Buffer.concat(this.#parts) : undefined
  }
}
