import type { ConnectError } from '@connectrpc/connect'

/** Lets so many through at once; a bounded number waits, more are refused. */
export class Turnstile {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #refusal: () => ConnectError
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(atOnce: number, mostWaiting: number, refusal: () => ConnectError) {
    this.#atOnce = atOnce
    this.#refusal = refusal
    this.#mostWaiting = mostWaiting
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#atOnce) this.#inside++
    else {
      if (this.#waiting.length >= this.#mostWaiting) throw this.#refusal()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      // Whoever waits longest takes over the place.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#inside--
    }
  }
}
