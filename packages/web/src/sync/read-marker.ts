const everyMs = 1_000

/**
 * Tells the server how far somebody has read, at most once a second: the first time at once, then whatever is newest when the
 * second is over.
 */
export class ReadMarker {
  readonly #mark: () => Promise<unknown>
  /** Id of the row that was marked last, or is being marked. */
  #marked: string | undefined
  #wanted: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(mark: () => Promise<unknown>) {
    this.#mark = mark
  }

  /** A row was seen; all before it count as read. */
  saw(id: string): void {
    this.#wanted = id
    if (this.#timer === undefined) this.#tell()
  }

  /** What was seen is told now. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#tell()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #tell(): void {
    this.#timer = undefined
    const id = this.#wanted
    if (id === undefined || id === this.#marked) return
    this.#marked = id
    this.#timer = setTimeout(() => this.#tell(), everyMs)
    // What could not be told is told with the next row.
    this.#mark().catch(() => (this.#marked = undefined))
  }
}
