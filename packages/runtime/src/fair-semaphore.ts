type Asker = string | symbol

type Options = {
  atOnce: number
  /** Concurrency limit per asker. Default: none. */
  atOncePerAsker?: number
  mostWaiting: number
  /** Limit of waiting calls per asker. Default: none. */
  mostWaitingPerAsker?: number
  refusal: () => Error
  /** Longest wait. Default: unlimited. */
  patienceMs?: number
}

/**
 * A semaphore with a bounded queue and a bounded wait; further calls are refused. A free place goes to the asker with
 * the fewest places, and among those to the one that has waited longest.
 */
export class FairSemaphore {
  readonly #options: Options
  readonly #atOncePerAsker: number
  readonly #waiting = new Map<() => void, Asker>()
  readonly #inside = new Map<Asker, number>()
  #places: number

  constructor(options: Options) {
    this.#options = options
    this.#places = options.atOnce
    this.#atOncePerAsker = options.atOncePerAsker ?? options.atOnce
  }

  /** @param asker - on whose behalf; by default a new asker */
  async run<T>(work: () => Promise<T>, asker: Asker = Symbol()): Promise<T> {
    if (this.#places > 0 && this.#insideOf(asker) < this.#atOncePerAsker) this.#enter(asker)
    else await this.#turn(asker)
    try {
      return await work()
    } finally {
      this.#leave(asker)
    }
  }

  #insideOf(asker: Asker): number {
    return this.#inside.get(asker) ?? 0
  }

  #enter(asker: Asker): void {
    this.#places--
    this.#inside.set(asker, this.#insideOf(asker) + 1)
  }

  #leave(asker: Asker): void {
    this.#places++
    const left = this.#insideOf(asker) - 1
    if (left > 0) this.#inside.set(asker, left)
    else this.#inside.delete(asker)
    let next: (() => void) | undefined
    let fewest = this.#atOncePerAsker
    for (const [enter, of] of this.#waiting) {
      const inside = this.#insideOf(of)
      if (inside < fewest) [next, fewest] = [enter, inside]
    }
    next?.()
  }

  /** Completes when there is a place, and rejects when that takes too long. */
  #turn(asker: Asker): Promise<void> {
    const { mostWaiting, mostWaitingPerAsker = mostWaiting, patienceMs, refusal } = this.#options
    const ofAsker = [...this.#waiting.values()].filter((one) => one === asker).length
    if (this.#waiting.size >= mostWaiting || ofAsker >= mostWaitingPerAsker) return Promise.reject(refusal())
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(enter)
        clearTimeout(tooLong)
      }
      const enter = (): void => {
        stop()
        this.#enter(asker)
        resolve()
      }
      const giveUp = (): void => {
        stop()
        reject(refusal())
      }
      const tooLong = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs)
      this.#waiting.set(enter, asker)
    })
  }
}
