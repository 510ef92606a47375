import { Code, ConnectError } from '@parley/client'

const everyMs = 1_000
/** What a moment later may be answered otherwise. */
const passing = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted, Code.Unknown])

/**
 * Tells the server how far somebody has read, at most once a second: the first time at once, then whatever is newest when the
 * second is over. What could not be told because the server is away is told again.
 */
export class ReadMarker {
  readonly #mark: () => Promise<unknown>
  /** Id of the row that was marked last, or is being marked. */
  #marked: string | undefined
  #wanted: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

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
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #tell(): void {
    this.#timer = undefined
    const id = this.#wanted
    if (id === undefined || id === this.#marked) return
    this.#marked = id
    this.#timer = setTimeout(() => this.#tell(), everyMs)
    this.#mark().catch((thrown: unknown) => {
      // What is refused waits for the next row.
      if (this.#closed || !passing.has(ConnectError.from(thrown).code)) return
      if (this.#marked === id) this.#marked = undefined
      this.#timer ??= setTimeout(() => this.#tell(), everyMs)
    })
  }
}
