import { LRUCache } from 'lru-cache'
import type { ResizedImage } from './image-processor.ts'

/** A size of an image; the tag identifies the bytes. */
export type CachedSizeId = { picture: string; tag: string }

/** Number of cached sizes per image; more than clients request. */
const maxPerPicture = 8

/**
 * Caches recently generated sizes, up to a number of bytes and a few per image. Concurrent requests for a size generate
 * it once.
 */
export class TransformCache {
  readonly #sizes: LRUCache<string, ResizedImage, () => Promise<ResizedImage>>
  /** Ids of the cached sizes, by image, least recently used first. */
  readonly #kept = new Map<string, Set<string>>()

  constructor(maxBytes: number) {
    this.#sizes = new LRUCache({
      ...{ maxSize: Math.max(maxBytes, 1), sizeCalculation: ({ bytes }) => bytes.length, ignoreFetchAbort: true },
      fetchMethod: (_id, _older, { context: make }) => make(),
      dispose: (_made, id) => this.#forget(id),
    })
  }

  async get({ picture, tag }: CachedSizeId, make: () => Promise<ResizedImage>): Promise<ResizedImage> {
    const id = `${picture} ${tag}`
    const made = await this.#sizes.forceFetch(id, { context: make })
    if (this.#sizes.has(id)) this.#note(picture, id)
    return made
  }

  #note(picture: string, id: string): void {
    const ofPicture = this.#kept.get(picture) ?? new Set()
    ofPicture.delete(id)
    this.#kept.set(picture, ofPicture.add(id))
    const [oldest] = ofPicture
    if (ofPicture.size > maxPerPicture && oldest !== undefined) this.#sizes.delete(oldest)
  }

  #forget(id: string): void {
    const picture = id.slice(0, id.indexOf(' '))
    const ofPicture = this.#kept.get(picture)
    ofPicture?.delete(id)
    if (ofPicture?.size === 0) this.#kept.delete(picture)
  }
}
