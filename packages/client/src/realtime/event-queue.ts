/**
 * A queue of values to iterate over. If `capacity` values are unread when another one arrives, all unread ones are
 * dropped. Not a generator function, because `return()` of a generator that has not started, or that waits for a value,
 * could not call `onClose` at once.
 */
export class EventQueue<T> implements AsyncGenerator<T, void, undefined> {
  readonly #options: { capacity: number; onDrop: () => void; onClose: () => void }
  #unread: T[] = []
  #readers: ((result: IteratorResult<T, void>) => void)[] = []
  #ended = false

  /**
   * `onDrop` is called when a full queue drops its values, `onClose` when the reader closes the queue, but not by
   * {@link end}.
   */
  constructor(options: { capacity: number; onDrop: () => void; onClose: () => void }) {
    this.#options = options
  }

  push(value: T): void {
    if (this.#ended) return
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader({ done: false, value })
    if (this.#unread.length >= this.#options.capacity) {
      this.#unread = []
      this.#options.onDrop()
    }
    this.#unread.push(value)
  }

  /** Queued values can still be read. */
  end(): void {
    this.#ended = true
    for (const reader of this.#readers.splice(0)) reader(finished)
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#unread.length > 0) return Promise.resolve({ done: false, value: this.#unread.shift() as T })
    if (this.#ended) return Promise.resolve(finished)
    return new Promise((resolve) => this.#readers.push(resolve))
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#unread = []
    this.end()
    this.#options.onClose()
    return Promise.resolve(finished)
  }

  async throw(error: unknown): Promise<never> {
    await this.return()
    throw error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

const finished = { done: true, value: undefined } as const
