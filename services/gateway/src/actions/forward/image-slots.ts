import { tooManyImages } from '../../errors.ts'

const maxRequestMs = 60_000

/**
 * Admits a few calls with whole images at a time: each image is held in memory until uploads has it. Further calls are
 * refused at once.
 */
export class ImageSlots {
  readonly #slots: number
  #used = 0

  constructor(slots: number) {
    this.#slots = slots
  }

  /**
   * Takes a slot and returns a function that releases it; further calls of that function do nothing. Throws
   * `resource_exhausted` if no slot is free. A request that takes longer than a minute is aborted.
   */
  acquire(request: { destroy(): unknown }): () => void {
    if (this.#used >= this.#slots) throw tooManyImages()
    this.#used++
    let isReleased = false
    const timeout = setTimeout(() => request.destroy(), maxRequestMs)
    return () => {
      if (isReleased) return
      isReleased = true
      clearTimeout(timeout)
      this.#used--
    }
  }
}
