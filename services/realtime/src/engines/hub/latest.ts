/** A window in which only the newest message about a thing counts. */
type Window = { endsAt: number; tell: (() => void) | undefined }

const defaultMs = 2_000

/**
 * Throttles messages per thing: the first is sent at once, and of those that follow within a window only the newest, at
 * its end.
 */
export class Latest implements Disposable {
  readonly #windowMs: number
  /** Windows by thing, ordered by their end. */
  readonly #windows = new Map<string, Window>()
  #timer: NodeJS.Timeout | undefined

  constructor(windowMs = defaultMs) {
    this.#windowMs = windowMs
  }

  /** Offers a new message about a thing: `tell` is called now, at the end of the window, or never. */
  offer(thing: string, tell: () => void): void {
    const window = this.#windows.get(thing)
    if (window) window.tell = tell
    else this.#open(thing, tell)
  }

  /** Drops the waiting message of a thing. */
  forget(thing: string): void {
    const window = this.#windows.get(thing)
    if (window) window.tell = undefined
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#windows.clear()
  }

  #open(thing: string, tell: () => void): void {
    this.#windows.set(thing, { endsAt: performance.now() + this.#windowMs, tell: undefined })
    this.#arm()
    tell()
  }

  #arm(): void {
    const [first] = this.#windows.values()
    if (first) this.#timer ??= setTimeout(() => this.#close(), first.endsAt - performance.now()).unref()
  }

  /** Closes windows that are over; if a message waits, it is sent and another window begins. */
  #close(): void {
    const now = performance.now()
    try {
      for (const [thing, { endsAt, tell }] of this.#windows) {
        if (endsAt > now) break
        this.#windows.delete(thing)
        if (tell) this.#open(thing, tell)
      }
    } finally {
      this.#timer = undefined
      this.#arm()
    }
  }
}
