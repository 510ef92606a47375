/** Fraction of `afterMs` that must have passed since the last start of the timer before a sign of life restarts it. */
const rearmFraction = 0.6

/**
 * Watches for signs of life: calls back when there was none for `afterMs`, and then every `againMs` until there is one.
 *
 * Node.js wakes the process even for a cleared timer, so timers are restarted rarely, even with thousands of signs. If
 * signs come at intervals of just less than half of `afterMs`, every second one clears the timer just before it is due,
 * when the process is awake anyway.
 */
export class SilenceWatch implements Disposable {
  readonly #afterMs: number
  readonly #againMs: number
  readonly #onSilence: () => void
  #activeAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #armedAt = 0
  #isSilent = false

  constructor(options: { afterMs: number; againMs: number; onSilence: () => void }) {
    this.#afterMs = options.afterMs
    this.#againMs = options.againMs
    this.#onSilence = options.onSilence
  }

  /** Starts watching. */
  start(): void {
    this.#wait(this.#afterMs)
  }

  /** Records a sign of life. */
  noteActivity(): void {
    this.#activeAt = performance.now()
    if (this.#timer === undefined) return
    if (this.#isSilent || this.#activeAt - this.#armedAt >= rearmFraction * this.#afterMs) this.#wait(this.#afterMs)
  }

  /** Milliseconds since the last sign. */
  silentForMs(): number {
    return performance.now() - this.#activeAt
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#armedAt = performance.now()
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
