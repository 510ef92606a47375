/** An interval that runs only while it is needed, so that an idle process sleeps. */
export class Ticker {
  readonly #intervalMs: number
  readonly #check: () => boolean
  #timer: NodeJS.Timeout | undefined

  /** `check` returns whether the interval is still needed. */
  constructor(intervalMs: number, check: () => boolean) {
    this.#intervalMs = intervalMs
    this.#check = check
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      if (!this.#check()) this.stop()
    }, this.#intervalMs)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
