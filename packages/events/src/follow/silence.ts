/**
 * Watches for signs of life: calls back when there was none for `afterMs`, and every `againMs` from then on until there is
 * one. While signs come often enough it wakes nobody.
 */
export class Silence implements Disposable {
  readonly #afterMs: number
  readonly #againMs: number
  readonly #onSilence: () => void
  #heardAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #silent = false

  constructor(options: { afterMs: number; againMs: number; onSilence: () => void }) {
    this.#afterMs = options.afterMs
    this.#againMs = options.againMs
    this.#onSilence = options.onSilence
  }

  /** Begins to watch. */
  start(): void {
    this.#wait(this.#afterMs)
  }

  /** A sign of life. */
  heard(): void {
    this.#heardAt = performance.now()
    if (this.#timer === undefined) return
    if (!this.#silent) this.#timer.refresh()
    else this.#wait(this.#afterMs)
  }

  /** Milliseconds since the last sign. */
  agoMs(): number {
    return performance.now() - this.#heardAt
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#silent = ms !== this.#afterMs
    this.#timer = setTimeout(() => {
      this.#wait(this.#againMs)
      this.#onSilence()
    }, ms)
  }
}
