import { LRUCache } from 'lru-cache'
import type { ResizedImage } from './image-processor.ts'

export type CachedSizeId = { imageId: string; tag: string }

const maxPerImage = 8

/** Caches recently generated sizes. Concurrent requests for a size generate it once. */
export class TransformCache {
  readonly #sizes: LRUCache<string, ResizedImage, () => Promise<ResizedImage>>
  readonly #idsByImage = new Map<string, Set<string>>()

  constructor(maxBytes: number) {
    this.#sizes = new LRUCache({
      ...{ maxSize: Math.max(maxBytes, 1), sizeCalculation: ({ bytes }) => bytes.length, ignoreFetchAbort: true },
      fetchMethod: (_id, _older, { context: render }) => render(),
      dispose: (_resized, id) => this.#remove(id),
    })
  }

  async get({ imageId, tag }: CachedSizeId, render: () => Promise<ResizedImage>): Promise<ResizedImage> {
    const id = `${imageId} ${tag}`
    const resized = await this.#sizes.forceFetch(id, { context: render })
    if (this.#sizes.has(id)) this.#markUsed(imageId, id)
    return resized
  }

  #markUsed(imageId: string, id: string): void {
    const ids = this.#idsByImage.get(imageId) ?? new Set()
    ids.delete(id)
    this.#idsByImage.set(imageId, ids.add(id))
    const [oldest] = ids
    if (ids.size > maxPerImage && oldest !== undefined) this.#sizes.delete(oldest)
  }

  #remove(id: string): void {
    const imageId = id.slice(0, id.indexOf(' '))
    const ids = this.#idsByImage.get(imageId)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsByImage.delete(imageId)
  }
}
