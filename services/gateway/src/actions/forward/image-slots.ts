import { tooManyImages } from '../../errors.ts'

const maxRequestMs = 60_000

/**
 * Admits a few calls with whole images at a time: each image is held in memory until uploads has it. Further calls are
 * refused at once. A user gets at most half of the slots, so that somebody who sends slowly leaves some to others.
 */
export class ImageSlots {
  readonly #slots: number
  #used = 0
  readonly #usedBy = new Map<string, number>()

  constructor(slots: number) {
    this.#slots = slots
  }

  /**
   * Takes a slot for a user and returns a function that releases it; further calls of that function do nothing. Throws
   * `resource_exhausted` if no slot is free for the user. A request that takes longer than a minute is aborted.
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
