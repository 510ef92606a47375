/** Delays work for a moment so that items that arrive one by one are handled in batches. */
export class BatchDelay {
  readonly #maxMs: number
  readonly #batchSize: number
  #endWait: () => void = () => undefined

  constructor(maxMs: number, batchSize: number) {
    this.#maxMs = maxMs
    this.#batchSize = batchSize
  }

  /** Resolves after the delay, or as soon as the batch is full. `count` is its current size. */
  wait(count: number): Promise<void> {
    if (count >= this.#batchSize) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#maxMs)
      this.#endWait = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  reportCount(count: number): void {
    if (count >= this.#batchSize) this.#endWait()
  }
}
