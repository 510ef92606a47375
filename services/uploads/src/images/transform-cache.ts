import type { ResizedImage } from './studio.ts'

type Entry = { made: ResizedImage } | { making: Promise<ResizedImage> }

/** Keeps what was made lately, up to so many bytes; concurrent questions for one thing make it once. */
export class TransformCache {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(id: string, make: () => Promise<ResizedImage>): Promise<ResizedImage> | ResizedImage {
    const entry = this.#entries.get(id)
    if (!entry) return this.#make(id, make)
    if ('making' in entry) return entry.making
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.made
  }

  #make(id: string, make: () => Promise<ResizedImage>): Promise<ResizedImage> {
    const making = make().then(
      (made) => {
        this.#keep(id, made)
        return made
      },
      (error: unknown) => {
        this.#entries.delete(id)
        throw error
      },
    )
    this.#entries.set(id, { making })
    return making
  }

  #keep(id: string, made: ResizedImage): void {
    this.#entries.delete(id)
    this.#entries.set(id, { made })
    this.#bytes += made.bytes.length
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      if ('making' in entry) continue
      this.#entries.delete(oldest)
      this.#bytes -= entry.made.bytes.length
    }
  }
}
