/** Notices a silent server: pings once, then gives up the connection. */
export class SilenceWatch implements Disposable {
  readonly #options: { quietMs: number; answerMs: number; ping: () => void; giveUp: () => void }
  #receivedAt = performance.now()
  #pinged = false
  #timer: ReturnType<typeof setTimeout>

  constructor(options: { quietMs: number; answerMs: number; ping: () => void; giveUp: () => void }) {
    this.#options = options
    this.#timer = setTimeout(this.#check, options.quietMs)
  }

  /** To be called whenever the server sends something. */
  received(): void {
    this.#receivedAt = performance.now()
    this.#pinged = false
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  readonly #check = (): void => {
    const { quietMs, answerMs, ping, giveUp } = this.#options
    const leftMs = quietMs - (performance.now() - this.#receivedAt)
    if (leftMs > 0) {
      this.#timer = setTimeout(this.#check, leftMs)
    } else if (!this.#pinged) {
      this.#pinged = true
      this.#timer = setTimeout(this.#check, answerMs)
      ping()
    } else giveUp()
  }
}
