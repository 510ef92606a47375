/** Notices a silent server: pings once, then gives up the connection. */
export class SilenceWatch implements Disposable {
  readonly #options: { quietMs: number; answerMs: number; ask: () => void; giveUp: () => void }
  #heardAt = performance.now()
  #asked = false
  #timer: ReturnType<typeof setTimeout>

  constructor(options: { quietMs: number; answerMs: number; ask: () => void; giveUp: () => void }) {
    this.#options = options
    this.#timer = setTimeout(this.#check, options.quietMs)
  }

  /** The server said something. */
  heard(): void {
    this.#heardAt = performance.now()
    this.#asked = false
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  readonly #check = (): void => {
    const { quietMs, answerMs, ask, giveUp } = this.#options
    const leftMs = quietMs - (performance.now() - this.#heardAt)
    if (leftMs > 0) {
      this.#timer = setTimeout(this.#check, leftMs)
    } else if (!this.#asked) {
      this.#asked = true
      this.#timer = setTimeout(this.#check, answerMs)
      ask()
    } else giveUp()
  }
}
