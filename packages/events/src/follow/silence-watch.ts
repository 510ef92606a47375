const restartFraction = 0.6

/**
 * Calls back when there was no sign of life for `afterMs`, and then every `againMs` until there is one.
 *
 * A cleared timer still wakes the process when it would have been due. So a sign of life replaces the timer only after
 * 60 % of `afterMs`. If the signs come a little more often than twice per `afterMs`, every second one replaces the
 * timer, just before it is due.
 */
export class SilenceWatch implements Disposable {
  readonly #afterMs: number
  readonly #againMs: number
  readonly #onSilence: () => void
  #activeAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  /** When the current wait began; a timer that finds signs of life since then prolongs it. */
  #waitingSince = 0
  #isSilent = false

  constructor(options: { afterMs: number; againMs: number; onSilence: () => void }) {
    this.#afterMs = options.afterMs
    this.#againMs = options.againMs
    this.#onSilence = options.onSilence
  }

  start(): void {
    this.#wait(this.#afterMs)
  }

  noteActivity(): void {
    this.#activeAt = performance.now()
    if (this.#timer === undefined) return
    if (this.#isSilent || this.#activeAt - this.#waitingSince >= restartFraction * this.#afterMs)
      this.#wait(this.#afterMs)
  }

  silentForMs(): number {
    return performance.now() - this.#activeAt
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#waitingSince = performance.now()
    this.#isSilent = ms !== this.#afterMs
    this.#timer = setTimeout(() => this.#check(), ms)
  }

  #check(): void {
    const remainingMs = this.#activeAt + this.#afterMs - performance.now()
    if (!this.#isSilent && remainingMs > 0) {
      this.#timer = setTimeout(() => this.#check(), remainingMs)
      return
    }
    this.#wait(this.#againMs)
    this.#onSilence()
  }
}
