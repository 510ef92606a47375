type Entry = { bytes: Buffer } | { making: Promise<Buffer> }

/** Keeps what was made lately, up to so many bytes; concurrent questions for one thing make it once. */
export class TransformCache {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(id: string, make: () => Promise<Buffer>): Promise<Buffer> | Buffer {
    const entry = this.#entries.get(id)
    if (!entry) return this.#make(id, make)
    if ('making' in entry) return entry.making
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.bytes
  }

  #make(id: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const making = make().then(
      (bytes) => {
        this.#keep(id, bytes)
        return bytes
      },
      (error: unknown) => {
        this.#entries.delete(id)
        throw error
      },
    )
    this.#entries.set(id, { making })
    return making
  }

  #keep(id: string, bytes: Buffer): void {
    this.#entries.delete(id)
    this.#entries.set(id, { bytes })
    this.#bytes += bytes.length
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      if ('making' in entry) continue
      this.#entries.delete(oldest)
      this.#bytes -= entry.bytes.length
    }
  }
}
