type Window = { endsAt: number; send: (() => void) | undefined }

const defaultMs = 2_000

/**
 * The first message of a key is sent at once and opens a window. Of the messages that follow within the window, only the
 * newest is sent, at the end of the window, and opens the next one.
 */
export class KeyedThrottle implements Disposable {
  readonly #windowMs: number
  /** In the order in which they end. */
  readonly #windows = new Map<string, Window>()
  #timer: NodeJS.Timeout | undefined

  constructor(windowMs = defaultMs) {
    this.#windowMs = windowMs
  }

  offer(key: string, send: () => void): void {
    const window = this.#windows.get(key)
    if (window) window.send = send
    else this.#openWindow(key, send)
  }

  forget(key: string): void {
    const window = this.#windows.get(key)
    if (window) window.send = undefined
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#windows.clear()
  }

  [Symbol.dispose](): void {
    this.clear()
  }

  #openWindow(key: string, send: () => void): void {
    this.#windows.set(key, { endsAt: performance.now() + this.#windowMs, send: undefined })
    this.#arm()
    send()
  }

  #arm(): void {
    const [first] = this.#windows.values()
    if (first) this.#timer ??= setTimeout(() => this.#closeWindows(), first.endsAt - performance.now()).unref()
  }

  #closeWindows(): void {
    const now = performance.now()
    try {
      for (const [key, { endsAt, send }] of this.#windows) {
        if (endsAt > now) break
        this.#windows.delete(key)
        if (send) this.#openWindow(key, send)
      }
    } finally {
      this.#timer = undefined
      this.#arm()
    }
  }
}
