import type { ConnectError } from '@connectrpc/connect'

/** Lets so many through at once; a bounded number waits, for so long at most; more are refused. */
export class Turnstile {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #refusal: () => ConnectError
  readonly #waiting = new Set<() => void>()
  readonly #patienceMs: number | undefined
  #inside = 0

  constructor(atOnce: number, mostWaiting: number, refusal: () => ConnectError, patienceMs?: number) {
    this.#atOnce = atOnce
    this.#refusal = refusal
    this.#mostWaiting = mostWaiting
    this.#patienceMs = patienceMs
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#atOnce) this.#inside++
    else {
      if (this.#waiting.size >= this.#mostWaiting) throw this.#refusal()
      await this.#turn()
    }
    try {
      return await work()
    } finally {
      // Whoever waits longest takes over the place.
      const [next] = this.#waiting
      if (next) next()
      else this.#inside--
    }
  }

  /** Completes when somebody passes their place on, and rejects when that takes too long. */
  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(enter)
        clearTimeout(tooLong)
      }
      const enter = (): void => {
        leave()
        resolve()
      }
      const tooLong =
        this.#patienceMs === undefined
          ? undefined
          : setTimeout(() => {
              leave()
              reject(this.#refusal())
            }, this.#patienceMs)
      this.#waiting.add(enter)
    })
  }
}
