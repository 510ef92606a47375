import { tooManyImages } from '../../errors.ts'

const longestMs = 60_000

/**
 * Admits a few calls with whole images at a time: each image is held in memory until uploads has it. Further calls are
 * refused at once.
 */
export class ImageDoor {
  readonly #places: number
  #inside = 0

  constructor(places: number) {
    this.#places = places
  }

  /**
   * Takes a slot, which the returned function releases (once). Throws `resource_exhausted` if none is free. A request that
   * takes too long is ended.
   */
  enter(request: { destroy(): unknown }): () => void {
    if (this.#inside >= this.#places) throw tooManyImages()
    this.#inside++
    let inside = true
    const tooSlow = setTimeout(() => request.destroy(), longestMs)
    return () => {
      if (!inside) return
      inside = false
      clearTimeout(tooSlow)
      this.#inside--
    }
  }
}
