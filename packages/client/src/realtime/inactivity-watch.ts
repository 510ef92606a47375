/**
 * If nothing arrives for `inactiveMs`, calls `ping`; if nothing arrives for another `pongTimeoutMs`, calls `giveUp`.
 */
export class InactivityWatch implements Disposable {
  readonly #options: { inactiveMs: number; pongTimeoutMs: number; ping: () => void; giveUp: () => void }
  #activeAt = performance.now()
  #pinged = false
  #timer: ReturnType<typeof setTimeout>

  constructor(options: { inactiveMs: number; pongTimeoutMs: number; ping: () => void; giveUp: () => void }) {
    this.#options = options
    this.#timer = setTimeout(this.#check, options.inactiveMs)
  }

  recordActivity(): void {
    this.#activeAt = performance.now()
    this.#pinged = false
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  readonly #check = (): void => {
    const { inactiveMs, pongTimeoutMs, ping, giveUp } = this.#options
    const leftMs = inactiveMs - (performance.now() - this.#activeAt)
    if (leftMs > 0) {
      this.#timer = setTimeout(this.#check, leftMs)
    } else if (!this.#pinged) {
      this.#pinged = true
      this.#timer = setTimeout(this.#check, pongTimeoutMs)
      ping()
    } else giveUp()
  }
}
