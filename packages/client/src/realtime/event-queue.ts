/** Values waiting for one reader. Beyond `capacity` the oldest are dropped. */
export class EventQueue<T> {
  readonly #capacity: number
  readonly #onDrop: () => void
  #waiting: T[] = []
  #wake: (() => void) | undefined
  #ended = false

  constructor(capacity: number, onDrop: () => void) {
    this.#capacity = capacity
    this.#onDrop = onDrop
  }

  push(value: T): void {
    if (this.#ended) return
    if (this.#waiting.length >= this.#capacity) {
      this.#waiting = []
      this.#onDrop()
    }
    this.#waiting.push(value)
    this.#wake?.()
  }

  /** What waits is still read. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    for (;;) {
      while (this.#waiting.length > 0) yield* this.#waiting.splice(0)
      if (this.#ended) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
  }
}
