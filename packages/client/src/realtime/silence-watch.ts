/** Notices a silent server: calls `ping` once, then `giveUp`. */
export class SilenceWatch implements Disposable {
  readonly #options: { quietMs: number; answerMs: number; ping: () => void; giveUp: () => void }
  #activeAt = performance.now()
  #pinged = false
  #timer: ReturnType<typeof setTimeout>

  constructor(options: { quietMs: number; answerMs: number; ping: () => void; giveUp: () => void }) {
    this.#options = options
    this.#timer = setTimeout(this.#check, options.quietMs)
  }

  /** Records a sign of life; call it whenever the server sends something. */
  noteActivity(): void {
    this.#activeAt = performance.now()
    this.#pinged = false
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  readonly #check = (): void => {
    const { quietMs, answerMs, ping, giveUp } = this.#options
    const leftMs = quietMs - (performance.now() - this.#activeAt)
    if (leftMs > 0) {
      this.#timer = setTimeout(this.#check, leftMs)
    } else if (!this.#pinged) {
      this.#pinged = true
      this.#timer = setTimeout(this.#check, answerMs)
      ping()
    } else giveUp()
  }
}
