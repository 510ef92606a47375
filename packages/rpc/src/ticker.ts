/** An interval that runs only while it is needed, so that an idle process sleeps. */
export class Ticker {
  readonly #everyMs: number
  readonly #look: () => boolean
  #timer: NodeJS.Timeout | undefined

  /** `look` returns whether the interval is still needed; otherwise it ends. */
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
