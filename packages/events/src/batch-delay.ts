/** Lets what comes one by one gather for a short while, so that much of it is dealt with at once. */
export class BatchDelay {
  readonly #maxMs: number
  readonly #enough: number
  #full: () => void = () => undefined

  constructor(maxMs: number, enough: number) {
    this.#maxMs = maxMs
    this.#enough = enough
  }

  /** Resolves after the while, or as soon as there is enough. `count` says how much there is already. */
  wait(count: number): Promise<void> {
    if (count >= this.#enough) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#maxMs)
      this.#full = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** There is more now: so much in all. */
  grown(count: number): void {
    if (count >= this.#enough) this.#full()
  }
}
