/** One interval that runs only while there is something to look at, so that an idle process sleeps. */
export class Ticker {
  readonly #everyMs: number
  readonly #look: () => boolean
  #timer: NodeJS.Timeout | undefined

  /** `look` says whether there is still something; the interval ends when there is not. */
  constructor(everyMs: number, look: () => boolean) {
    this.#everyMs = everyMs
    this.#look = look
  }

  /** Starts the interval unless it runs. */
  wake(): void {
    this.#timer ??= setInterval(() => {
      if (!this.#look()) this.stop()
    }, this.#everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
