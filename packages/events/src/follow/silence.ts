/** Part of `afterMs` during which a sign of life does not restart the timer. */
const keptFor = 0.6

/**
 * Watches for signs of life: calls back when there was none for `afterMs`, and every `againMs` from then on until there
 * is one.
 *
 * Node.js wakes the process even for a timer that was cleared. So under load, with thousands of signs, timers are few.
 * If two intervals between signs together are just below `afterMs`, each timer is due when the second sign arrives,
 * which wakes the process anyway.
 */
export class Silence implements Disposable {
  readonly #afterMs: number
  readonly #againMs: number
  readonly #onSilence: () => void
  #activeAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #armedAt = 0
  #silent = false

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
    if (this.#silent || this.#activeAt - this.#armedAt >= keptFor * this.#afterMs) this.#wait(this.#afterMs)
  }

  /** Milliseconds since the last sign. */
  agoMs(): number {
    return performance.now() - this.#activeAt
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#armedAt = performance.now()
    this.#silent = ms !== this.#afterMs
    this.#timer = setTimeout(() => this.#look(), ms)
  }

  #look(): void {
    const leftMs = this.#activeAt + this.#afterMs - performance.now()
    if (!this.#silent && leftMs > 0) {
      this.#timer = setTimeout(() => this.#look(), leftMs)
      return
    }
    this.#wait(this.#againMs)
    this.#onSilence()
  }
}
