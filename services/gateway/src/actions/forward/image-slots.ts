import { tooManyImages } from '../../errors.ts'

const maxRequestMs = 60_000

/**
 * Limits calls with images, because each image is held in memory until `uploads` has it. A user gets at most half of
 * the slots.
 */
export class ImageSlots {
  readonly #slots: number
  #used = 0
  readonly #usedBy = new Map<string, number>()

  constructor(slots: number) {
    this.#slots = slots
  }

  /**
   * Returns a function that releases the slot. Throws `resource_exhausted`. A request that holds a slot for longer than
   * a minute is aborted.
   */
  acquire(request: { destroy(): unknown }, userId: string): () => void {
    const own = this.#usedBy.get(userId) ?? 0
    if (this.#used >= this.#slots || own >= this.#slots / 2) throw tooManyImages()
    this.#count(userId, 1)
    let isReleased = false
    const timeout = setTimeout(() => request.destroy(), maxRequestMs)
    return () => {
      if (isReleased) return
      isReleased = true
      clearTimeout(timeout)
      this.#count(userId, -1)
    }
  }

  #count(userId: string, change: 1 | -1): void {
    this.#used += change
    const own = (this.#usedBy.get(userId) ?? 0) + change
    if (own > 0) this.#usedBy.set(userId, own)
    else this.#usedBy.delete(userId)
  }
}
