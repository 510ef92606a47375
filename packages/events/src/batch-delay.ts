/** Delays work for a moment so that items that arrive one by one are handled in batches. */
export class BatchDelay {
  readonly #maxMs: number
  readonly #enough: number
  #full: () => void = () => undefined

  constructor(maxMs: number, enough: number) {
    this.#maxMs = maxMs
    this.#enough = enough
  }

  /** Resolves after the delay, or as soon as the batch is full. `count` is its current size. */
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

  /** More items have arrived; `count` is their total. */
  grown(count: number): void {
    if (count >= this.#enough) this.#full()
  }
}
