/** What may be told about one thing so often that only the newest counts. */
type Window = { endsAt: number; tell: (() => void) | undefined }

const usualMs = 2_000

/**
 * Tells the first of what is said about a thing at once, and of what follows within a window the newest alone, at its end:
 * however often one person changes, everybody hears it at most once per window.
 */
export class Latest implements Disposable {
  readonly #windowMs: number
  /** By thing; those that end first come first. */
  readonly #windows = new Map<string, Window>()
  #timer: NodeJS.Timeout | undefined

  constructor(windowMs = usualMs) {
    this.#windowMs = windowMs
  }

  /** Something new about a thing, told by calling `tell`: now, at the end of the window, or never. */
  offer(thing: string, tell: () => void): void {
    const window = this.#windows.get(thing)
    if (window) window.tell = tell
    else this.#open(thing, tell)
  }

  /** Nothing more is told about a thing, whatever waits. */
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

  /** Windows that are over: where something waits, it is told and another one begins. */
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
